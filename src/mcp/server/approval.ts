import { checkMilliseconds, longestTimer } from '../../basics/milliseconds.ts';
import { checkOptions } from '../../basics/options.ts';
import { plain } from '../../output/style.ts';
import type { ApprovalAnswer, ApprovalRequest, Approve } from '../../policy/approval.ts';
import { questionFor } from '../../policy/question.ts';
import { linkOf } from './links.ts';

/** Options of {@link elicitApproval}. */
export interface ElicitApprovalOptions {
  /** How long the person at the client may take, in milliseconds. Default 300,000 (5 minutes). */
  readonly timeout?: number;
  /**
   * Who is asked about calls that did not come over MCP, and about those whose client cannot ask anybody. Default:
   * nobody; such a call fails with `approval_required`.
   */
  readonly otherwise?: Approve;
}

/** Longer questions cannot be judged; nobody is asked them. */
const longestQuestion = 20_000;

const allowOnce = 'allow once';

/**
 * An approver that asks the person at the MCP client which made the call (elicitation): the tool, its arguments, what it
 * would do, its preview; allow once or deny. Only `allow once`, said to exactly this call, lets it run; anything else, such
 * as a form that is dismissed, sent back empty or filled in with nonsense, is a denial, and so is no answer in time.
 *
 * @example
 * const router = createRouter({ tools, approve: elicitApproval() });
 * await serveMcpStdio(router);
 */
export function elicitApproval(options: ElicitApprovalOptions = {}): Approve {
  checkOptions('elicitApproval', options, ['timeout', 'otherwise']);
  const { otherwise } = options;
  const limit = checkMilliseconds(options.timeout ?? 300_000, 'elicitApproval({ timeout })');
  const timeout = Math.min(limit, longestTimer - 1_000);
  if (otherwise !== undefined && typeof otherwise !== 'function') {
    throw new TypeError('elicitApproval({ otherwise }) must be a function.');
  }
  return async (request, { signal }) => {
    const link = linkOf(request.callId);
    if (link?.runId !== request.run.id || !link.mayApprove || !link.can('elicitation/create')) {
      return otherwise?.(request, { signal });
    }
    const params = formFor(request);
    return decisionOf(await link.ask({ method: 'elicitation/create', params }, { signal, timeout }));
  };
}

function formFor(request: ApprovalRequest): { readonly [name: string]: unknown } {
  const { text } = questionFor(request, plain, true);
  if (text.length > longestQuestion) throw new Error('The question is too long to be judged.');
  return {
    mode: 'form',
    message: text.trimEnd(),
    requestedSchema: {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: 'May this call run?',
          description: 'It holds for this one call.',
          // Denial comes first: it is what a client chooses that chooses by itself.
          enum: ['deny', allowOnce],
        },
      },
      required: ['decision'],
    },
  };
}

/** Reads a client's answer, which may be anything. */
function decisionOf(answer: unknown): ApprovalAnswer {
  const { action, content } = (answer ?? {}) as { action?: unknown; content?: unknown };
  if (action === 'cancel') return { decision: 'deny', reason: 'the question was dismissed' };
  if (action !== 'accept' || typeof content !== 'object' || content === null) return 'deny';
  if (!Object.hasOwn(content, 'decision')) return 'deny';
  return (content as { decision?: unknown }).decision === allowOnce ? 'allow' : 'deny';
}
