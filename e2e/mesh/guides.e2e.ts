import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { codeBlocks } from '../../scripts/docs/code-blocks.ts';
import { openSandbox, repository, scratch } from '../../src/testbed/sandbox.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import { expectGuide, guideScript, guideSteps } from '../testing/guide.ts';

/** Guides whose commands make namespaces of their own. */
const meshGuides = ['docs/guides/first-mesh.md', 'docs/guides/when-a-call-fails.md'];

/** Guides whose programs listen on this machine's ports: here, on those of a network namespace. */
const programGuides = ['docs/guides/local-program.md', 'docs/guides/identity-without-kubernetes.md'];

describeMesh.concurrent('the guides', () => {
  test.for(meshGuides)(
    'every file and command of %s does what the page says, and nothing stays behind',
    async (page, { onTestFinished }) => {
      const folder = await mkdtemp(join(tmpdir(), 'guide-'));
      onTestFinished(() => rm(folder, { recursive: true }));
      const steps = guideSteps(page);
      const temporary = join(folder, 'temporary');
      await mkdir(temporary);
      const printed = await run(guideScript(steps, join(folder, 'my-mesh')), temporary);
      expectGuide(steps, printed, join(folder, 'my-mesh'));
      // The sandbox's folder is here as long as anything of the mesh is: it goes last.
      expect(await readdir(temporary)).toEqual([]);
    },
  );

  test.for(programGuides)('every file and command of %s does what the page says', async (page, { onTestFinished }) => {
    const sandbox = await openSandbox();
    onTestFinished(() => sandbox.close());
    const folder = join(scratch, 'my-mesh');
    const steps = guideSteps(page);
    const stdin = `ip link set lo up; echo '127.0.0.1 localhost' > /etc/hosts\n${guideScript(steps, folder)}`;
    const { stdout } = await sandbox.run(['bash', '-m'], { cwd: repository, stdin, timeoutMs: 60_000 });
    expectGuide(steps, stdout, folder);
  });
});

test('every example of docs/reference/meshpol-compile.md that is for examples/first-mesh ends as the page says', async ({
  onTestFinished,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'examples-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const page = await readFile('docs/reference/meshpol-compile.md', 'utf8');
  const script = codeBlocks(page).find(({ text }) => text.includes('policies/namespace-strict.yaml'))?.text ?? '';
  const meshpol = `meshpol() { node ../../dist/meshpol.js "$@"; echo "exit code $?"; }`;
  const printed = await run(`cd examples/first-mesh; ${meshpol}\n${script.replaceAll('/tmp/', `${folder}/`)}`, folder);
  const codes = Array.from(printed.matchAll(/^exit code (\d+)$/gm), ([, code]) => code);
  // The second one finds a difference, as its comment says.
  expect(codes).toEqual(['0', '1', '0', '0', '0', '0']);
  expect(printed).toContain('"file": "policies/namespace-strict.yaml"');
  expect(await readdir(folder)).toEqual(['first-mesh', 'from-stdin']);
});

test('the commands of README.md that compile examples/first-mesh end as the page says', async ({ onTestFinished }) => {
  const folder = await mkdtemp(join(tmpdir(), 'readme-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const blocks = codeBlocks(await readFile('README.md', 'utf8'));
  const [build, ...script] =
    blocks.find(({ text }) => text.includes('policies/namespace-strict.yaml'))?.text.split('\n') ?? [];
  expect(build).toBe('make build');
  const node = 'node() { command node "$@"; echo "exit code $?"; }';
  const printed = await run(`${node}\n${script.join('\n').replaceAll('/tmp/', `${folder}/`)}`, folder);
  // The second one prints what STRICT for the whole mesh changes.
  expect(Array.from(printed.matchAll(/^exit code (\d+)$/gm), ([, code]) => code)).toEqual(['0', '1', '0']);
  expect(printed).toContain('workloads would change');
  expect(await readdir(folder)).toEqual(['first-mesh']);
});

test('the commands of README.md that install the programs link them and their manual pages to this folder', async ({
  onTestFinished,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'installed-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const script = codeBlocks(await readFile('README.md', 'utf8')).find(({ text }) =>
    text.startsWith('npm install'),
  )?.text;
  expect(script).toBe('npm install --global .\nman meshpol-lint\n');
  // The prefix stands for .tools; npm fetches nothing.
  const environment = {
    npm_config_prefix: folder,
    npm_config_cache: join(folder, 'cache'),
    npm_config_offline: 'true',
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    MANPATH: join(folder, 'share/man'),
  };
  const printed = await run(
    `set -e\n${script}for it in meshpol pilot-agent meshd; do $it version; done`,
    folder,
    environment,
  );
  expect(printed).toMatch(/^NAME\n +meshpol-lint - /m);
  expect(printed).toMatch(/^meshpol \S+\nversion\.BuildInfo\{.*\}\nversion\.BuildInfo\{.*\}\n$/m);
  expect(await realpath(join(folder, 'bin/meshd'))).toBe(resolve('dist/meshd.js'));
});

/** Runs a script in the repository; gives what it prints to standard output. */
function run(script: string, temporary: string, environment: NodeJS.ProcessEnv = {}): Promise<string> {
  const options = { timeout: 90_000, env: { ...process.env, TMPDIR: temporary, ...environment } };
  return new Promise((resolve) => {
    execFile('bash', ['-c', script], options, (_error, stdout) => resolve(stdout));
  });
}
