import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { commandNames } from '../docs/command-options.ts';
import { fromMarkdown } from './from-markdown.ts';
import { manPages } from './pages.ts';
import { escapeRoff } from './roff.ts';

describe('the manual pages', () => {
  const pages = new Map(manPages());
  const page = (name: string): string => pages.get(`${name}.1`) ?? expect.fail(`no page of ${name}`);

  test('are one a program and one a command, and package.json lists them', () => {
    const { man } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly man: readonly string[] };
    const names = ['meshpol', 'pilot-agent', 'meshd', ...commandNames().map((name) => name.replace(' ', '-'))];
    expect([...pages.keys()].sort()).toEqual(names.map((name) => `${name}.1`).sort());
    expect(man).toEqual([...pages.keys()].sort().map((file) => `dist/man/${file}`));
  });

  test('of a command have its options as the help shows them, in groups, and all other parts of its page', () => {
    const text = page('pilot-agent-proxy');
    expect(text).toContain('.SS Logging\n.TP\n\\fB\\-\\-log_as_json\\fR\nformat the log as JSON (default: off)\n');
    const headings = Array.from(text.matchAll(/^\.SH (.*)$/gm), ([, heading]) => heading);
    expect(headings).toEqual([
      ...['NAME', 'SYNOPSIS', 'DESCRIPTION', 'OPTIONS', 'EXIT STATUS', 'ENVIRONMENT', 'EXAMPLES', 'SEE ALSO'],
    ]);
  });

  test('of a program list its commands, and name their pages', () => {
    const text = page('meshpol');
    expect(text).toContain('\n\\fBmeshpol\\-lint\\fR(1)\nfind mistakes in policies that compile\n');
    expect(text).toContain('.SH EXAMPLES\n.PP\n.RS 4\n.nf\nmeshpol compile mesh/ \\-o out ');
  });
});

test('a word that is longer than a line may be broken before a bracket and behind a comma', () => {
  const word = `namespace/name[,labels=key:value][,account=name][,ports=port]`;
  expect(escapeRoff(`a ${word}, b[c]`)).toBe(
    'a namespace/name\\:[,\\:labels=key:value]\\:[,\\:account=name]\\:[,\\:ports=port], b[c]',
  );
});

describe('fromMarkdown', () => {
  test.each([
    [
      'a paragraph with code, a link and stress',
      'A `b-c` [d `e`](f.md) *g*\n**h**',
      '.PP\nA \\fBb\\-c\\fR d \\fBe\\fR \\fIg\\fR\n\\fBh\\fR\n',
    ],
    ['a line that begins with a point', 'a\n.b', '.PP\na\n\\&.b\n'],
    ['a line that begins with a quote', "'b", '.PP\n\\(aqb\n'],
    ['letters beyond ASCII', 'a → b', '.PP\na \\[u2192] b\n'],
    ['a list whose entry goes on', '- a\n  b\n- c', '.IP \\(bu 2\na\nb\n.IP \\(bu 2\nc\n'],
    ['a numbered list', '1. a\n2. b', '.IP 1. 4\na\n.IP 2. 4\nb\n'],
    ['code', '```sh\na \\\n  .b\n```', '.PP\n.RS 4\n.nf\na \\e\n  .b\n.fi\n.RE\n'],
    ['a table of two columns', '| x | y |\n|---|---|\n| `a\\|b` | c |', '.TP\n\\fBa|b\\fR\nc\n'],
    ['a table of three columns', '| x | y | z |\n|---|---|---|\n| a | b | c |', '.TP\na\ny: b\n.br\nz: c\n'],
    ['a heading', '### A b\n\nc', '.SS A b\n.PP\nc\n'],
  ])('turns %s into roff', (_, markdown, roff) => {
    expect(fromMarkdown(markdown)).toBe(roff);
  });
});
