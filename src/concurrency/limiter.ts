import { Fifo } from './fifo.ts';
import { type Reusable, Reused } from './reused.ts';

/** How many calls may be at work at the same time. `Infinity` for no limit. */
export interface Limits {
  readonly total: number;
  readonly perKey: number;
  perTool(tool: string): number;
}

/** A call's place: at work, waiting, or given up. */
export interface Place {
  readonly isAtWork: boolean;
  /** Gives the place up, or stops waiting for it. May be called more than once. */
  leave(): void;
}

/** The calls of one tool, some of which wait. */
interface ToolGate extends Reusable {
  readonly limit: number;
  used: number;
  /** Whether it stands among the tools whose turn will come. */
  isListed: boolean;
  readonly lanes: Map<string | undefined, Lane>;
  /** Lanes whose turn will come. */
  readonly ready: Fifo<Lane>;
}

/** The calls with one key, of whatever tools. */
interface KeyGate extends Reusable {
  used: number;
  lanes: number;
  /** Lanes that wait for a place of this key. */
  readonly blocked: Fifo<Lane>;
}

/** Calls of one tool with one key that wait, in the order in which they came. */
interface Lane {
  readonly tool: ToolGate;
  readonly key: KeyGate | undefined;
  first: Ticket | undefined;
  last: Ticket | undefined;
  /** Whether it stands in one of the two lists. */
  isListed: boolean;
}

/**
 * Hands out places to calls: so many in all, for each tool and for each key. Tools take turns, and within a tool its keys, so
 * that none of them starves another; calls of one tool with one key go in the order in which they came. Every step is paid
 * by a call that comes or goes, however many wait.
 */
export class Limiter {
  readonly #limits: Limits;
  readonly #tools: Reused<ToolGate>;
  readonly #keys = new Reused<KeyGate>(newKeyGate);
  readonly #ready = new Fifo<ToolGate>();
  #used = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#tools = new Reused((name) => newToolGate(name, limits.perTool(name)));
  }

  /** How many tools and keys calls at work or waiting have. */
  get size(): number {
    return this.#tools.size + this.#keys.size;
  }

  /** Asks for a place. `begin` is called when there is one, and not at all where there is at once. */
  enter(toolName: string, keyName: string | undefined, begin: () => void): Place {
    const tool = this.#tools.of(toolName);
    const key = keyName === undefined ? undefined : this.#keys.of(keyName);
    const lane = tool.lanes.get(keyName);
    const ticket = new Ticket(this, tool, key, begin);
    if (lane?.first === undefined && this.#used < this.#limits.total && tool.used < tool.limit && this.#hasRoom(key)) {
      this.#take(ticket);
    } else {
      this.#queue(ticket, lane ?? this.#lane(tool, key));
    }
    return ticket;
  }

  /** For its tickets only. */
  withdrawn(ticket: Ticket): void {
    const { lane } = ticket;
    if (lane === undefined) return;
    unlink(ticket, lane);
    this.#dropIfIdle(lane);
  }

  /** For its tickets only. */
  ended({ tool, key }: Ticket): void {
    this.#used--;
    tool.used--;
    if (key !== undefined) {
      key.used--;
      // All of them: the first one's tool may have no room.
      for (let count = key.blocked.length; count > 0; count--) this.#relist(key.blocked.shift() as Lane);
    }
    this.#list(tool);
    this.#fill();
    this.#forgetIdle(tool, key);
  }

  #fill(): void {
    while (this.#used < this.#limits.total) {
      const tool = this.#ready.shift();
      if (tool === undefined) return;
      tool.isListed = false;
      // Listed again when one of its calls ends.
      if (tool.used >= tool.limit) continue;
      const lane = tool.ready.shift();
      if (lane !== undefined) this.#serve(lane);
      this.#list(tool);
    }
  }

  #serve(lane: Lane): void {
    const { first: ticket, key } = lane;
    lane.isListed = false;
    if (ticket !== undefined) {
      if (!this.#hasRoom(key)) {
        lane.isListed = true;
        key?.blocked.push(lane);
        return;
      }
      unlink(ticket, lane);
      this.#take(ticket);
      ticket.begin();
      if (lane.first !== undefined) this.#relist(lane);
    }
    this.#dropIfIdle(lane);
  }

  #take(ticket: Ticket): void {
    this.#used++;
    ticket.tool.used++;
    if (ticket.key !== undefined) ticket.key.used++;
    ticket.isAtWork = true;
  }

  #queue(ticket: Ticket, lane: Lane): void {
    ticket.lane = lane;
    ticket.before = lane.last;
    if (lane.last === undefined) lane.first = ticket;
    else lane.last.after = ticket;
    lane.last = ticket;
    if (lane.isListed) return;
    this.#relist(lane);
    this.#fill();
  }

  #relist(lane: Lane): void {
    lane.isListed = true;
    lane.tool.ready.push(lane);
    this.#list(lane.tool);
  }

  #list(tool: ToolGate): void {
    if (tool.isListed || tool.ready.length === 0 || tool.used >= tool.limit) return;
    tool.isListed = true;
    this.#ready.push(tool);
  }

  #hasRoom(key: KeyGate | undefined): boolean {
    return key === undefined || key.used < this.#limits.perKey;
  }

  #lane(tool: ToolGate, key: KeyGate | undefined): Lane {
    const lane: Lane = { tool, key, first: undefined, last: undefined, isListed: false };
    tool.lanes.set(key?.name, lane);
    if (key !== undefined) key.lanes++;
    return lane;
  }

  // A lane that stands in a list is dropped when its turn comes.
  #dropIfIdle(lane: Lane): void {
    const { tool, key } = lane;
    if (lane.first !== undefined || lane.isListed) return;
    tool.lanes.delete(key?.name);
    if (key !== undefined) key.lanes--;
    this.#forgetIdle(tool, key);
  }

  #forgetIdle(tool: ToolGate, key: KeyGate | undefined): void {
    if (tool.used === 0 && tool.lanes.size === 0) this.#tools.rest(tool);
    if (key !== undefined && key.used === 0 && key.lanes === 0) this.#keys.rest(key);
  }
}

function newToolGate(name: string, limit: number): ToolGate {
  return { name, limit, used: 0, isIdle: false, isListed: false, lanes: new Map(), ready: new Fifo() };
}

function newKeyGate(name: string): KeyGate {
  return { name, used: 0, isIdle: false, lanes: 0, blocked: new Fifo() };
}

class Ticket implements Place {
  isAtWork = false;
  lane: Lane | undefined = undefined;
  before: Ticket | undefined = undefined;
  after: Ticket | undefined = undefined;
  readonly tool: ToolGate;
  readonly key: KeyGate | undefined;
  readonly begin: () => void;
  readonly #limiter: Limiter;
  #isOver = false;

  constructor(limiter: Limiter, tool: ToolGate, key: KeyGate | undefined, begin: () => void) {
    this.#limiter = limiter;
    this.tool = tool;
    this.key = key;
    this.begin = begin;
  }

  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.isAtWork) this.#limiter.ended(this);
    else this.#limiter.withdrawn(this);
  }
}

function unlink(ticket: Ticket, lane: Lane): void {
  const { before, after } = ticket;
  if (before === undefined) lane.first = after;
  else before.after = after;
  if (after === undefined) lane.last = before;
  else after.before = before;
  ticket.lane = undefined;
  ticket.before = undefined;
  ticket.after = undefined;
}
