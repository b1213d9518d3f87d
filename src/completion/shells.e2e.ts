import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../testing/eventually.ts';

const programs = ['meshpol', 'pilot-agent', 'meshd'];
const bell = '\x07';

let folder: string;
let environment: NodeJS.ProcessEnv;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'shells-'));
  environment = { PATH: `${folder}/bin:${process.env.PATH}`, HOME: folder, TERM: 'dumb', INPUTRC: '/dev/null' };
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'folder'));
  writeFileSync(join(folder, 'my mesh.yaml'), '{kind: Pod, apiVersion: v1, metadata: {name: cart, namespace: shop}}');
  writeFileSync(
    join(folder, 'mesh.yaml'),
    '{apiVersion: v1, kind: Pod, metadata: {name: cart, namespace: shop}, spec: {containers: [{name: mesh-proxy}]}}',
  );
  for (const name of programs) {
    const path = join(folder, 'bin', name);
    writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${resolve(`dist/${name}.js`)}' "$@"\n`);
    chmodSync(path, 0o755);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A shell at a terminal of its own. */
class TerminalShell {
  private readonly child: ChildProcess;
  private shown = '';

  constructor(command: string) {
    this.child = spawn('script', ['-qfec', command, '/dev/null'], {
      ...{ cwd: folder, env: environment },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.child.stdout?.on('data', (part: Buffer) => {
      this.shown += part;
    });
  }

  type(keys: string): void {
    this.child.stdin?.write(keys);
  }

  /** What the terminal shows next that looks so; gives its first group. */
  async next(form: RegExp): Promise<string> {
    const found = await eventually(
      () => {
        const match = form.exec(this.shown);
        if (match === null) expect.fail(`the terminal shows ${JSON.stringify(this.shown)}`);
        return match;
      },
      { interval: 10 },
    );
    this.shown = this.shown.slice(found.index + found[0].length);
    return found[1] ?? '';
  }

  /** The line that the shell makes of keys, of which some are tabs. */
  async line(keys: string): Promise<string> {
    this.type(`${keys}${bell}`);
    const line = await this.next(/<<(.*?)>>/s);
    this.type('\x15');
    return line;
  }

  close(): void {
    this.child.kill('SIGKILL');
  }
}

/** How each shell is started without files of the user, and shows the line that is typed when it gets a bell. */
const terminals = {
  bash: {
    command: 'bash --norc --noprofile -i',
    setUp: [
      ...programs.map((name) => `source <(${name} completion bash)`),
      String.raw`show() { printf '<<%s>>' "$READLINE_LINE"; }; bind -x '"\C-g": show'`,
    ],
  },
  zsh: {
    command: 'zsh -f -i',
    setUp: [
      'autoload -Uz compinit && compinit -u -D; unsetopt zle_bracketed_paste; bindkey -e',
      ...programs.map((name) => `source <(${name} completion zsh)`),
      `show() { print -rn -- "<<$BUFFER>>" }; zle -N show; bindkey '^G' show`,
    ],
  },
} as const;

describe.each(['bash', 'zsh'] as const)('%s at a terminal', (name) => {
  let shell: TerminalShell;
  beforeAll(async () => {
    const { command, setUp } = terminals[name];
    shell = new TerminalShell(command);
    shell.type(`${setUp.join('; ')}; echo READ''Y\n`);
    await shell.next(/READY/);
  });
  afterAll(() => shell.close());

  test.each([
    ['a command', 'meshpol li\t', 'meshpol lint '],
    ['an option', 'meshpol lint --bas\t', 'meshpol lint --baseline '],
    ['a rule', 'meshpol rules allow-ev\t', 'meshpol rules allow-every-request '],
    ['a rule behind an equals sign', 'meshpol lint --rule=allow-ev\t', 'meshpol lint --rule=allow-every-request '],
    ['a kind', 'meshpol schema PeerA\t', 'meshpol schema PeerAuthentication '],
    [
      'a workload of an input',
      'meshpol compile mesh.yaml --workload sh\t',
      'meshpol compile mesh.yaml --workload shop/cart ',
    ],
    [
      'a workload of an input at home',
      'meshpol compile ~/mesh.yaml --workload sh\t',
      'meshpol compile ~/mesh.yaml --workload shop/cart ',
    ],
    ['a file', 'meshpol lint mes\t', 'meshpol lint mesh.yaml '],
    ['a file with a space in its name', 'meshpol lint my\t', String.raw`meshpol lint my\ mesh.yaml `],
    ['a file behind an equals sign', 'meshpol lint -o sarif=mes\t', 'meshpol lint -o sarif=mesh.yaml '],
    ['a folder', 'meshpol compile mesh.yaml -o f\t', 'meshpol compile mesh.yaml -o folder/'],
    ['no file where a workload is expected', 'meshpol compile mesh.yaml --workload mes\t', undefined],
    ['a choice', 'pilot-agent proxy --restartPolicy on\t', 'pilot-agent proxy --restartPolicy on-failure '],
    ['a command with dashes', 'pilot-agent istio-cl\t', 'pilot-agent istio-clean-iptables '],
    ['an option of the control plane', 'meshd serve --caKeyA\tR\t', 'meshd serve --caKeyAlgorithm RSA '],
  ])('completes %s', async (_, keys, line) => {
    expect(await shell.line(keys)).toBe(line ?? keys.replace('\t', ''));
  });
});

test('zsh completes at the first key with scripts in a folder of fpath', async () => {
  mkdirSync(join(folder, 'zsh'));
  for (const name of programs) {
    const script = execFileSync(name, ['completion', 'zsh'], { env: environment });
    writeFileSync(join(folder, 'zsh', `_${name}`), script);
  }
  const shell = new TerminalShell(terminals.zsh.command);
  onTestFinished(() => shell.close());
  const [initialise, , , , show] = terminals.zsh.setUp;
  shell.type(`fpath=(~/zsh $fpath); ${initialise}; ${show}; echo READ''Y\n`);
  await shell.next(/READY/);
  expect(await shell.line('pilot-agent istio-cl\t')).toBe('pilot-agent istio-clean-iptables ');
  expect(await shell.line('meshd serve --caKeyAlgorithm R\t')).toBe('meshd serve --caKeyAlgorithm RSA ');
});

describe('fish', () => {
  const lines: readonly (readonly [line: string, candidates: readonly string[]])[] = [
    ['meshpol li', ['lint\tfind mistakes in policies that compile']],
    ['meshpol rules allow-ev', ['allow-every-request\tan ALLOW rule that every request matches']],
    ['meshpol lint --category=tok', ['--category=tokens']],
    ['meshpol compile mesh.yaml --workload ', ['shop/cart\tPod']],
    ['meshpol compile mesh.yaml --workload mes', []],
    ['meshpol lint mes', ['mesh.yaml']],
    ['meshpol lint -o sarif=mes', ['sarif=mesh.yaml']],
    ['meshpol compile -o f', ['folder/\tDirectory']],
    ['pilot-agent proxy --restartPolicy on', ['on-failure']],
    ['meshd serve --caKeyAlgorithm ', ['ECDSA', 'RSA']],
  ];
  let answers: readonly (readonly string[])[];
  beforeAll(() => {
    const commands = [
      ...programs.map((name) => `${name} completion fish | source`),
      ...lines.map(([line]) => `complete -C '${line}'; echo END`),
    ];
    const text = execFileSync('fish', ['-N', '-c', commands.join('; ')], {
      cwd: folder,
      env: environment,
      encoding: 'utf8',
    });
    answers = text.split('END\n').map((answer) => answer.split('\n').filter((it) => it !== ''));
  });

  test.each(lines.map(([line, candidates], index) => [line, candidates, index] as const))('offers for %j', (...it) => {
    expect(answers[it[2]]).toEqual(it[1]);
  });
});
