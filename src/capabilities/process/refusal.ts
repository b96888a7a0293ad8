import { type ErrorCode, ToolError } from '../../errors.ts';

const messages = {
  type: 'a command must be a text, or a list of texts of which the first is the program',
  characters: 'it holds control characters or invisible characters; write plain text',
  length: 'it is too long (at most 131,072 bytes); write a file and run that',
  rule: 'a rule forbids it; do not try other spellings',
  unparsed:
    'without a sandbox only plain commands can run: words and quoted text joined by | && || ; without variables, globs, redirections or substitutions. Rewrite it that way',
  relative: 'without a sandbox only installed programs can run, by their plain names',
  script: 'programs that are .bat or .cmd files cannot be started safely',
  writable: 'the program lies in a folder that tools may write to',
  'no-roots': 'no folder is open to commands: no roots were given',
  'no-sandbox':
    'there is no sandbox on this machine. Install bubblewrap (Linux) or the package just-bash, or the host may choose to run without one',
  python: 'the portable sandbox runs no Python',
  'not-granted': 'the tool may only run the commands that it was called with',
  E_REVOKED: 'the call is over, so nothing can be started any more',
} as const;

/** Why a command was refused: stable, as `details.reason` of the failure. */
export type CommandReason = keyof typeof messages;

/** The failure for a refused command. */
export function commandRefusal(reason: CommandReason, code: ErrorCode = 'command_denied'): ToolError {
  return new ToolError(`Command refused: ${messages[reason]}.`, { code, details: { reason } });
}
