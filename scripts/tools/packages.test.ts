import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

/** What the README asks for, and what `make setup` puts into `.tools/`. */
const prerequisites = ['bash', 'git', 'go', 'make', 'node', 'npm', 'python3'];

/** Our own programs, their commands, the programs of tests, and machines that a test runs programs on. */
const own = [
  'consul',
  'istio-clean-iptables',
  'istio-iptables',
  'listen',
  'pilot-agent',
  'proxy',
  'replay',
  'storm',
  'test',
  'wait',
];

/** Programs of packages that every Debian has, because they are marked as essential or required. */
const required = [
  ...['basename', 'cat', 'chmod', 'chown', 'cmp', 'comm', 'cp', 'cut', 'dd', 'dirname', 'du', 'echo', 'env', 'expr'],
  ...['false', 'find', 'grep', 'gzip', 'head', 'id', 'install', 'ln', 'ls', 'mkdir', 'mkfifo', 'mktemp', 'mv', 'nice'],
  ...[
    'printf',
    'pwd',
    'readlink',
    'rm',
    'rmdir',
    'script',
    'sed',
    'seq',
    'sh',
    'sha256sum',
    'sleep',
    'sort',
    'stat',
    'stty',
    'sync',
    'tail',
  ],
  ...['tar', 'tee', 'timeout', 'touch', 'tr', 'true', 'truncate', 'uname', 'uniq', 'wc', 'xargs'],
  ...['apt-get', 'chroot', 'dpkg', 'dpkg-deb', 'flock', 'getent', 'hostname', 'losetup', 'mount', 'mountpoint'],
  ...['nsenter', 'prlimit', 'setpriv', 'setsid', 'su', 'umount', 'unshare'],
];

/** Words that stand first in a command of a shell and start no program. */
const shellWords = new Set(
  ': . [ break case cd command compgen continue do done elif else esac eval exec exit export fi for function if in local printf read return set shift test then trap ulimit umask unset until wait while'.split(
    ' ',
  ),
);

/** A call that takes a program, or an argument list, as its first argument. */
const starts =
  /\b(?:spawn(?:Sync)?|execFile(?:Sync)?\)?|execa|run|must|tryRun|runCommand|start)\(\s*\[?\s*'([a-z/][\w./-]*)'/g;
const argumentLists = /\b(?:argv|command|commands?|through|enter):? ?=? \[\s*'([a-z/][\w./-]*)'/g;

describe('packages.txt', () => {
  const lines = readFileSync(path.join(root, 'scripts/tools/packages.txt'), 'utf8').split('\n');
  const packages = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split(' '));
  const installed = packages.flatMap(([, ...programs]) => programs.map((program) => path.basename(program)));
  const known = new Set([...prerequisites, ...required, ...own, ...installed]);

  test('is sorted, and names a program of each package, by which scripts/setup.sh knows that it is there', () => {
    const names = packages.map(([name]) => name);
    expect(names).toEqual([...new Set(names)].sort());
    expect(packages.filter((line) => line.length < 2)).toEqual([]);
  });

  test('has every program that tests, scripts and benchmarks start', () => {
    const unknown = sources(/\.(ts|mjs)$/).flatMap(({ file, text }) =>
      [...text.matchAll(starts), ...text.matchAll(argumentLists)]
        .map(([, program = '']) => path.basename(program))
        .filter((program) => !known.has(program))
        .map((program) => `${file}: ${program}`),
    );
    expect(unknown).toEqual([]);
  });

  test('has every program that shell scripts start', () => {
    const unknown = sources(/\.sh$/).flatMap(({ file, text }) =>
      commandsOf(text)
        .filter((program) => !known.has(program))
        .map((program) => `${file}: ${program}`),
    );
    expect(unknown).toEqual([]);
  });
});

function sources(name: RegExp): readonly { readonly file: string; readonly text: string }[] {
  return ['src', 'e2e', 'scripts', 'bench', '.ci'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => path.join(folder, file))
      .filter((file) => name.test(file) && !file.startsWith('src/generated'))
      .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') })),
  );
}

/** The first words of the commands of a shell script, but for its own functions. */
function commandsOf(text: string): readonly string[] {
  const code = text.replaceAll(/^\s*#.*$/gm, '').replaceAll(/\\\n/g, ' ');
  const functions = new Set([...code.matchAll(/^(\w+)\(\) /gm)].map(([, name]) => name ?? ''));
  const commands =
    /(?:^|[;&|{]|^\s*\(|\$\(|\b(?:do|then|else|if|exec|sudo)\b|!)\s*([a-z][\w.-]*)(?=\s|$|\))(?!\s*[=>])/gm;
  return [...code.matchAll(commands)]
    .map(([, word = '']) => word)
    .filter((word) => !functions.has(word) && !shellWords.has(word));
}
