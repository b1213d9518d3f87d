import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, loadAll } from 'js-yaml';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readAppProbes } from '../../src/agent/status/app-probes.ts';
import { readScrapeTargets } from '../../src/agent/status/scrape-targets.ts';
import { foldBooleans } from '../../src/cli/agent/flags.ts';
import { createPilotAgent } from '../../src/cli/agent/pilot-agent.ts';
import type { ProgramContext } from '../../src/cli/agent/program-context.ts';
import { runLine } from '../../src/cli/agent/testing/run-line.ts';
import { createMeshd } from '../../src/cli/control/meshd.ts';
import type { CliIo } from '../../src/cli/io.ts';
import { createMeshpol } from '../../src/cli/meshpol.ts';
import { run as runMeshpol } from '../../src/cli/testing/run-meshpol.ts';
import { compile, createCompiler } from '../../src/compiler/compile.ts';
import { defaultSettings } from '../../src/config/defaults.ts';
import { parseProjectFile } from '../../src/config/project-file.ts';
import { readSettings } from '../../src/config/read.ts';
import { DiagnosticBag } from '../../src/diagnostics/bag.ts';
import { checkMessage } from '../../src/envoy/api/check.ts';
import { faultsOf } from '../../src/lint/configure.ts';
import { readUserBootstrap } from '../../src/live/read-bootstrap.ts';
import { type CodeBlock, codeBlocks, commandLines } from './code-blocks.ts';

const folder = 'docs/reference';

/** The blocks of diagnostics.md and lint-rules.md are fixtures; e2e tests run the programs of library.md. */
const shownElsewhere = ['diagnostics.md', 'library.md', 'lint-rules.md'];

interface Example extends CodeBlock {
  readonly page: string;
}

const examples: readonly Example[] = readdirSync(folder)
  .filter((name) => name.endsWith('.md') && !shownElsewhere.includes(name))
  .flatMap((page) => codeBlocks(readFileSync(join(folder, page), 'utf8')).map((block) => ({ ...block, page })));

/** `access-log.md:15` and the block. */
const named = (some: readonly Example[]) => some.map((it) => [`${it.page}:${it.line}`, it] as const);
const inYaml = examples.filter(({ language }) => language === 'yaml');

const sidecar = {
  path: 'pod.yaml',
  text: 'apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: a}\nspec: {containers: [{name: mesh-proxy}]}\n',
};

/** A file with the text, in a folder that is gone after the test. */
function fileOf(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'example-')), 'example.yaml');
  onTestFinished(() => rmSync(join(path, '..'), { recursive: true }));
  writeFileSync(path, text);
  return path;
}

describe('the YAML of the reference pages', () => {
  const objects = inYaml.filter(({ text }) => loadAll(text).every((it) => Object.hasOwn(it as object, 'kind')));
  const overrides = inYaml.filter(({ text }) => text.startsWith('# MESH_BOOTSTRAP_OVERRIDE='));
  const grpcClients = inYaml.filter(({ text }) => text.startsWith('google_grpc:'));
  const projectFiles = inYaml.filter(({ text }) => text.startsWith('# .meshpol.yaml\n'));
  const settings = inYaml.filter(
    (it) => ![objects, overrides, grpcClients, projectFiles].some((some) => some.includes(it)),
  );

  test.each([...new Set(objects.map(({ page }) => page))])('compiles without an error: the objects of %s', (page) => {
    const files = objects
      .filter((it) => it.page === page)
      .map(({ line, text }) => ({ path: `${page}:${line}.yaml`, text }));
    const bag = new DiagnosticBag();
    compile({ files, settings: defaultSettings, select: 'all' }, bag);
    expect(bag.all.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  test('has a use for each of its suppressions: meshpol-lint.md', async () => {
    const [example] = objects.filter(({ text }) => text.includes('lint.mesh.io/ignore'));
    const { out, error } = await runMeshpol('lint -', example?.text.replace(/until \d{4}/, 'until 9999'));
    expect([out, error]).toEqual(['', expect.stringContaining('no findings in 1 file (3 suppressed)')]);
  });

  test.each(named(settings))('is read as a mesh configuration without a diagnostic: %s', async (_, { text }) => {
    const bag = new DiagnosticBag();
    await readSettings({ meshConfig: { path: fileOf(text), isRequired: true }, environment: {} }, bag);
    expect(bag.all).toEqual([]);
  });

  test.each(named(projectFiles))('is read as a project file without a diagnostic: %s', (path, { text }) => {
    const bag = new DiagnosticBag();
    const project = parseProjectFile({ path, text }, bag);
    expect([bag.all, project && faultsOf(project.lint)]).toEqual([[], []]);
  });

  test.each(named(overrides))('overrides the bootstrap without a diagnostic: %s', async (_, { text }) => {
    const bag = new DiagnosticBag();
    const bootstrap = await readUserBootstrap({ override: fileOf(text), custom: undefined }, bag, []);
    const compilation = createCompiler({ settings: defaultSettings, bootstrap }).compile([sidecar], 'all', bag);
    expect(bag.all.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(compilation?.configs).toHaveLength(1);
  });

  test.each(named(grpcClients))('is a gRPC client as Envoy has it: %s', (_, { text }) => {
    expect(checkMessage('envoy.config.core.v3.GrpcService', load(text))).toEqual([]);
  });
});

describe('the JSON of the reference pages', () => {
  const inJson = examples.filter(({ language }) => language === 'json');
  const lines = inJson.flatMap((it) => (it.text.startsWith('{\n') ? [it] : asLines(it)));

  test.each(named(lines))('is read by the agent: %s', (_, { text }) => {
    const read = text.includes('/app-health/') ? readAppProbes : readScrapeTargets;
    expect(read(text, new Set([15000, 15020]))).toMatchObject({ ok: true });
  });
});

/** A block of several values, one a line. */
function asLines(example: Example): Example[] {
  return example.text
    .trimEnd()
    .split('\n')
    .map((text, at) => ({ ...example, text, line: example.line + 1 + at }));
}

/**
 * What needs neither a file nor a proxy; the examples of `meshpol compile` are run by e2e/mesh/guides.e2e.ts, the one that
 * writes schemas by src/cli/schema-folder.test.ts.
 */
const runsAtOnce = /^(meshpol schema(?! --all)|pilot-agent (version|proxy .*--print-config|istio-(clean-)?iptables))/;

describe('the command lines of the reference pages', () => {
  const commands = examples
    .filter(({ language }) => language === 'sh')
    .flatMap(({ page, text }) =>
      commandLines(text, ['meshpol', 'pilot-agent', 'meshd']).map((words) => [page, words.join(' '), words] as const),
    );

  test.each(commands)('of %s: the program takes %s', async (_, line, words) => {
    await expect(parse(words)).resolves.toEqual([words[0], words[1]].join(' '));
    expect(line).not.toContain('…');
  });

  test.each(commands.filter(([, line]) => runsAtOnce.test(line)))('of %s: %s does it', async (_, line) => {
    const [program, ...rest] = line.split(' ');
    const { code } = await (program === 'meshpol' ? runMeshpol : runLine)(`${rest.join(' ')}${dryRun(line)}`);
    expect(code).toBe(0);
  });
});

function dryRun(line: string): string {
  return line.includes('iptables') ? ' --dry-run' : '';
}

/** Name of the command that a command line is for; throws what the program's parser throws. */
async function parse([program, ...args]: readonly string[]): Promise<string> {
  let parsed = '';
  const context = {} as ProgramContext;
  const programs = [
    createMeshpol({} as CliIo, {}, () => undefined),
    createPilotAgent(context, () => undefined),
    createMeshd(context, () => undefined),
  ];
  for (const made of programs.filter((it) => it.name() === program)) {
    for (const command of made.commands) {
      command.action(() => {
        parsed = `${made.name()} ${command.name()}`;
      });
    }
    await made.parseAsync(foldBooleans(args), { from: 'user' });
  }
  return parsed;
}
