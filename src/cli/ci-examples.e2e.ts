import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { load } from 'js-yaml';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';

const examples = resolve('examples/ci');
const program = resolve('dist/meshpol.js');

const policy = (methods: string): string => `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: cart, namespace: shop}
spec: {rules: [{to: [{operation: {methods: [${methods}]}}]}]}
`;
const broken = `${policy('GET')}surprise: 1\n`;

let folder: string;
const put = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

/** Runs a command in the folder, with a `meshpol` on its PATH; gives its exit code. */
function sh(command: string, environment: Readonly<Record<string, string>> = {}): number | null {
  const env = { ...process.env, PATH: `${folder}/bin:${process.env.PATH}`, ...environment };
  return spawnSync('sh', ['-ec', command], { cwd: folder, env, stdio: 'ignore' }).status;
}

beforeEach(() => {
  const made = mkdtempSync(join(tmpdir(), 'ci-'));
  folder = made;
  onTestFinished(() => rmSync(made, { recursive: true }));
  execFileSync('mkdir', [join(folder, 'bin')]);
  put('bin/meshpol', `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`);
  chmodSync(join(folder, 'bin/meshpol'), 0o755);
});

/** What a job's step runs, by the step's name. */
function stepsOf(): ReadonlyMap<string, string> {
  const workflow = load(readFileSync(join(examples, 'github-workflow.yaml'), 'utf8')) as {
    readonly jobs: { readonly lint: { readonly steps: readonly { readonly name?: string; readonly run?: string }[] } };
  };
  return new Map(workflow.jobs.lint.steps.flatMap(({ name, run }) => (name && run ? [[name, run] as const] : [])));
}

describe('the recipes of examples/ci', () => {
  test('the hook stops a commit whose change has an error, and lets others pass', () => {
    const git = (args: string): number | null => sh(`git -c user.name=a -c user.email=a@example.com ${args}`);
    git('init -q');
    copyFileSync(join(examples, 'pre-commit'), join(folder, '.git/hooks/pre-commit'));
    put('a.yaml', broken);
    expect(git('add a.yaml') || git('commit -q -m first')).not.toBe(0);
    put('a.yaml', policy('GET'));
    expect(git('add a.yaml') || git('commit -q -m first')).toBe(0);
    put('a.yaml', broken);
    expect(git('commit -q -a -m second')).not.toBe(0);
    put('a.yaml', policy('POST'));
    expect(git('commit -q -a -m third')).toBe(0);
  });

  test('the workflow writes SARIF and a summary, and fails for an error', () => {
    const steps = stepsOf();
    put('a.yaml', broken);
    expect(sh(steps.get('lint') ?? '')).toBe(1);
    expect(JSON.parse(read('lint.sarif')).runs[0].results).toHaveLength(1);
    expect(sh(steps.get('summary') ?? '', { GITHUB_STEP_SUMMARY: join(folder, 'summary.md') })).toBe(0);
    expect(read('summary.md')).toContain('unknown field');
  });

  test('the job writes both reports', () => {
    const { lint } = load(readFileSync(join(examples, 'gitlab-job.yaml'), 'utf8')) as {
      readonly lint: { readonly script: readonly string[] };
    };
    put('a.yaml', policy('get'));
    expect(sh(lint.script.join('\n'))).toBe(0);
    expect(JSON.parse(read('lint.json'))).toMatchObject([{ location: { path: 'a.yaml' } }]);
    expect(read('lint.xml')).toContain('<failure type="warning"');
  });

  test('the targets of make lint against a baseline, and fix', () => {
    put('a.yaml', policy('get'));
    const make = (target: string): number | null => sh(`make -s -f ${join(examples, 'lint.mk')} ${target}`);
    expect(make('lint')).not.toBe(0);
    expect([make('lint-baseline'), make('lint')]).toEqual([0, 0]);
    expect([make('lint-fix'), read('a.yaml')]).toEqual([0, policy('GET')]);
  });

  test('the image has every file that the program needs', () => {
    const [, globs = '', target = ''] =
      /^COPY (.*) (\S+)$/m.exec(readFileSync(join(examples, 'Containerfile'), 'utf8')) ?? [];
    expect(target).toBe('/usr/local/lib/meshpol/');
    put('a.yaml', policy('get'));
    expect(sh(`mkdir image && cd ${resolve('dist')} && cp ${globs} ${folder}/image/`)).toBe(0);
    put('image/package.json', '{"type": "module"}');
    for (const command of ['lint a.yaml', 'rules', 'schema', 'version'])
      expect(sh(`${process.execPath} image/meshpol.js ${command}`), command).toBe(0);
  });
});
