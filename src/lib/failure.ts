/** The same in each bundle: commands are bundled apart from the program, with classes of their own. */
const mark = Symbol.for('mesh-policy-compiler.world-failure');

/**
 * The world failed: a file that cannot be written, a port that is taken. The message is for the user, without a stack; the
 * code is kebab-case, for programs. Each room has its own class of it with its own codes.
 */
export class WorldFailure<Code extends string> extends Error {
  readonly code: Code;
  readonly [mark] = true;

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** Whether a value that was thrown is a `WorldFailure`, of whichever bundle. */
export function isWorldFailure(thrown: unknown): thrown is WorldFailure<string> {
  return thrown instanceof Error && mark in thrown;
}

/** What an error says, and its causes, from the outside in; for people, on one line. */
export function causesText(thrown: unknown): string {
  const messages: string[] = [];
  for (let error: unknown = thrown; error instanceof Error; error = error.cause) {
    messages.push(plainMessage(error, messages.join(' ')));
  }
  return messages.join(': ');
}

/** Node's `CODE: words, call 'path'` without the call, and without a path that was named before. */
function plainMessage(error: NodeJS.ErrnoException, before: string): string {
  const [, words] = /^[A-Z0-9]+: (.+?), \w+( '.*)?$/.exec(error.message) ?? [];
  if (error.syscall === undefined || words === undefined) return error.message;
  const place = error.path === undefined || before.includes(`"${error.path}"`) ? '' : `"${error.path}": `;
  return `${place}${words} (${error.code})`;
}
