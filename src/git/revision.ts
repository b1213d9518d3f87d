/** What is read of a repository: a point of its history, and a folder. */
export interface Revision {
  /** As the user wrote it. */
  readonly text: string;
  /** `HEAD`, a branch, a tag, the full name of a reference, or the full id of a commit. */
  readonly name: string;
  /** With slashes and none at its ends; empty for the whole tree. */
  readonly folder: string;
}

/** 40 digits, or 64 in a repository of SHA-256. */
export const fullId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Reads `NAME` or `NAME:FOLDER`; a refusal says what is expected. git-check-ref-format(1) says what is a name. */
export function parseRevision(text: string): Revision | { readonly expected: string } {
  const at = text.indexOf(':');
  const name = at === -1 ? text : text.slice(0, at);
  if (!fullId.test(name) && !isName(name)) {
    const expected = 'HEAD, a branch, a tag, the full name of a reference (refs/...) or the full id of a commit';
    return { expected: `${expected}, and, after a colon, a folder` };
  }
  const parts = at === -1 ? [] : text.slice(at + 1).split('/');
  const names = parts.filter((part) => part !== '' && part !== '.');
  if (names.includes('..')) return { expected: 'a folder of the revision, without ".."' };
  return { text, name, folder: names.join('/') };
}

function isName(name: string): boolean {
  const isPlain = name !== '' && name !== '@' && !/[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\/|[/.]$/u.test(name);
  return isPlain && !name.startsWith('-') && name.split('/').every((part) => !/^\.|\.lock$|^$/.test(part));
}
