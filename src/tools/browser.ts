import type { BrowserContext, Page, Browser as PlaywrightBrowser } from 'playwright-core';
import type { LentProxy } from '../capabilities/net/types.ts';
import { ToolError } from '../errors.ts';

/** How the browser is started. */
export interface LaunchOptions {
  readonly executablePath?: string;
  readonly sandbox?: boolean;
}

/** A browser that belongs to one call. */
export interface Browser {
  open(url: string, milliseconds: number, proxy: LentProxy): Promise<BrowserPage>;
  close(): Promise<void>;
}

export interface BrowserPage {
  /** Of the page that is shown, where there was an answer. */
  status(): number | undefined;
  url(): string;
  /** Waits until the page fetches nothing more, at most so many milliseconds. */
  settle(milliseconds: number): Promise<void>;
  /** The document as it is now, cut at so many characters. */
  html(maxCharacters: number): Promise<string>;
  /** What is in view, as PNG. */
  picture(): Promise<Uint8Array>;
  /** What the reader should know of how the page was loaded. */
  notes(): readonly string[];
}

// The proxy must be the only way out: no name is looked up here, and nothing is sent by other protocols.
const flags = [
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--proxy-bypass-list=<-loopback>',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  '--dns-prefetch-disable',
  '--disable-background-networking',
  '--no-pings',
];
const launchMilliseconds = 15_000;

/** Starts a browser whose only way out is the proxy. It ends with the signal at the latest. */
export async function launch(options: LaunchOptions, proxy: LentProxy, signal: AbortSignal): Promise<Browser> {
  const { chromium } = await playwright();
  signal.throwIfAborted();
  const { executablePath, sandbox = true } = options;
  let browser: PlaywrightBrowser;
  try {
    browser = await chromium.launch({
      headless: true,
      chromiumSandbox: sandbox,
      timeout: launchMilliseconds,
      proxy: { server: proxy.server, username: proxy.username, password: proxy.password },
      args: flags,
      // Nothing of this process's secrets is for a browser.
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', LANG: process.env.LANG ?? 'C.UTF-8' },
      ...(executablePath !== undefined && { executablePath }),
    });
  } catch (error) {
    throw failure(
      'The browser could not be started; whoever runs this program has to look at it.',
      'no-browser',
      error,
    );
  }
  const close = async () => {
    signal.removeEventListener('abort', closeNow);
    await browser.close().catch(() => {});
  };
  const closeNow = () => void close();
  signal.addEventListener('abort', closeNow, { once: true });
  if (signal.aborted) closeNow();
  return { close, open: (url, milliseconds, lent) => open(browser, url, milliseconds, lent) };
}

async function playwright(): Promise<typeof import('playwright-core')> {
  try {
    return await import('playwright-core');
  } catch (error) {
    throw failure(
      'browser_open needs the package playwright-core: npm install playwright-core.',
      'not-installed',
      error,
    );
  }
}

async function open(
  browser: PlaywrightBrowser,
  url: string,
  milliseconds: number,
  proxy: LentProxy,
): Promise<BrowserPage> {
  const page = await newPage(await browser.newContext({ acceptDownloads: false, serviceWorkers: 'block' }));
  let status: number | undefined;
  page.on('response', (answer) => {
    if (answer.request().isNavigationRequest() && answer.frame() === page.mainFrame()) status = answer.status();
  });
  try {
    await whileOpen(proxy, page.goto(url, { waitUntil: 'domcontentloaded', timeout: milliseconds }));
  } catch (error) {
    // An answer without a body counts as an error for the browser; its status says more.
    if (status === undefined || status < 400) throw loadFailure(error, proxy, milliseconds);
  }
  // The proxy's own answer to a page that it refuses.
  if (status === 403 && isRefused(page.url(), proxy)) throw refused(proxy);
  const inTime = <T>(work: Promise<T>): Promise<T> =>
    whileOpen(proxy, work).catch((error: unknown) => {
      throw loadFailure(error, proxy, milliseconds);
    });
  return {
    // Scripts may have gone on to another page meanwhile.
    status: () => status,
    url: () => page.url(),
    settle: (most) => page.waitForLoadState('networkidle', { timeout: most }).catch(() => {}),
    // A page can change what its own functions do, so that the length is seen to here as well.
    html: async (most) => {
      const source = await inTime(page.evaluate(`document.documentElement.outerHTML.slice(0, ${most})`));
      return String(source).slice(0, most);
    },
    picture: () => inTime(page.screenshot({ type: 'png', timeout: milliseconds })),
    notes: () => (proxy.refused.length === 0 ? [] : [`not reached: ${proxy.refused.slice(0, 10).join(', ')}`]),
  };
}

/** Waits for the browser as long as it has a way out. */
async function whileOpen<T>({ closed }: LentProxy, work: Promise<T>): Promise<T> {
  let end = (): void => {};
  const ended = new Promise<never>((_, reject) => {
    end = () => reject(closed.reason);
  });
  if (closed.aborted) end();
  closed.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([work, ended]);
  } finally {
    closed.removeEventListener('abort', end);
    work.catch(() => {});
  }
}

/** Pages open no further windows, and answer no questions. */
async function newPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  context.on('page', (further) => void further.close().catch(() => {}));
  page.on('dialog', (dialog) => void dialog.dismiss().catch(() => {}));
  return page;
}

function isRefused(url: string, { refused }: LentProxy): boolean {
  const host = URL.canParse(url) ? new URL(url).host : '';
  return refused.some((entry) => entry.startsWith(`${host} `));
}

function loadFailure(error: unknown, proxy: LentProxy, milliseconds: number): ToolError {
  if (error instanceof ToolError) return error;
  const message = error instanceof Error ? error.message : '';
  if (/ERR_TUNNEL_CONNECTION_FAILED|ERR_PROXY/.test(message) && proxy.refused.length > 0) return refused(proxy);
  if (error instanceof Error && error.name === 'TimeoutError') {
    const text = `The page took longer than ${milliseconds} ms to load. Try again later, or another source.`;
    return new ToolError(text, { code: 'timeout', cause: error });
  }
  return failure('The page could not be loaded. Try again later, or another source.', 'no-answer', error);
}

function refused(proxy: LentProxy): ToolError {
  const reason = proxy.refused.at(-1)?.split(' ')[1] ?? 'rule';
  return new ToolError('URL refused: the page leads to a host that may not be reached.', {
    code: 'url_denied',
    details: { reason },
  });
}

function failure(message: string, reason: string, cause: unknown): ToolError {
  return new ToolError(message, { code: 'unavailable', details: { reason }, cause });
}
