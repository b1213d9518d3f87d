import type { AgentConfig } from '../../agent/agent-config.ts';
import type { CompileProxy } from '../../agent/reload/proxy-files.ts';
import type { Compilation } from '../../compiler/compilation.ts';
import type { Compiler } from '../../compiler/compile.ts';
import type { WorkloadKey } from '../../compiler/merge/effective.ts';
import type { MeshFigures } from '../../compiler/mesh-figures.ts';
import type { MeshObject } from '../../compiler/policy/object.ts';
import { mayBeRoot } from '../../compiler/root-namespace.ts';
import type { JsonObject, SourceFile } from '../../compiler/source/document.ts';
import { SourceError } from '../../compiler/source/find.ts';
import { forgetPositions } from '../../compiler/source/parse.ts';
import { type ReadThrough, readSources } from '../../compiler/source/read.ts';
import { readSettings, type SettingsOptions } from '../../config/read.ts';
import type { Settings } from '../../config/settings.ts';
import { type Diagnostic, DiagnosticBag } from '../../diagnostics/bag.ts';
import { format } from '../../diagnostics/format.ts';
import type { JudgeKeys } from '../../envoy/judge-keys.ts';
import { UsageError } from '../failure.ts';
import { createKeySetGatherer, type KeySetGatherer } from '../key-sets/gather.ts';
import type { FetchedKeySets } from '../key-sets/remote.ts';
import { createPlanMemory } from '../output/plan.ts';
import { readTemplates } from '../read-templates.ts';
import { type Attempt, compileHolding, type Holding } from './compile-holding.ts';
import { type FilledFiles, fillEmptied, SettingsMemory } from './emptied-files.ts';
import { gatewaySecretsOf } from './gateway-secrets.ts';
import type { GoodInputs } from './good-versions.ts';
import { readHostFacts } from './host-facts.ts';
import { policyChanges } from './policy-changes.ts';
import { proxyFilesOf } from './proxy-files-of.ts';
import { readUserBootstrap } from './read-bootstrap.ts';
import { type CompilerInputs, rememberCompiler } from './remember-compiler.ts';
import { SourceMemory } from './source-memory.ts';
import { letOthers, readInPieces } from './turns.ts';
import { type ProxyIdentity, withNodeId } from './workload.ts';

/** Where the agent's inputs are. */
export interface ProxyInputs {
  readonly settings: SettingsOptions;
  /** Of `--policies`; `configSources` of the mesh configuration add theirs. */
  readonly policies: readonly string[];
  /** What is read besides: the mesh configuration, templates. */
  readonly watched: readonly string[];
  /** A bootstrap template, or a folder of templates. */
  readonly templateFile: string | undefined;
  /** MESH_BOOTSTRAP_OVERRIDE */
  readonly bootstrapOverride?: string | undefined;
  /** Of the container; undefined without a limit. */
  readonly memoryLimitBytes?: number | undefined;
  readonly identity: ProxyIdentity;
  /** Asked for when neither the identity nor the inputs know an address. */
  readonly ownAddresses?: () => Promise<readonly string[]>;
  readonly role: AgentConfig['role'];
  /** Name of the Secret that stands in for those that gateway servers name and that are not there. */
  readonly fallbackSecret: string;
  /** Where Secrets of gateway servers are looked for; undefined: the proxy's own namespace, and no other one. */
  readonly gatewayNamespace?: string | undefined;
  /** Keys that do not stand in a rule are fetched. */
  readonly keySets: FetchedKeySets;
  /** Refuses key sets of rules that Envoy would not take. */
  readonly judgeKeys?: JudgeKeys;
  /** Hears what each compilation that gave a configuration counted. */
  readonly onFigures?: (figures: MeshFigures) => void;
}

/** The one seam between the agent and the compiler: the agent asks for files, and knows nothing else of it. */
export function createCompileProxy(inputs: ProxyInputs): CompileProxy {
  const compilerFor = rememberCompiler();
  const gatherer = createKeySetGatherer([], inputs.keySets, inputs.judgeKeys);
  const memory = createPlanMemory();
  const sources = new SourceMemory();
  const settingsMemory = new SettingsMemory(inputs.settings.meshConfig?.path);
  let good: GoodInputs | undefined;
  let rootBefore: string | undefined;
  let { identity } = inputs;
  let addresses = identity.ip === undefined ? [] : [identity.ip];
  const compile = async (): ReturnType<CompileProxy> => {
    const bag = new DiagnosticBag();
    const { value: fixed, texts: besides } = await readFixed(inputs, addresses, bag);
    settingsMemory.check(besides, bag);
    if (fixed === undefined || bag.hasErrors) return { problems: [format(bag.all, besides, 'text').trimEnd()] };
    const { settings } = fixed;
    const read = await readPolicies(inputs.policies, settings, bag, sources.round());
    if ('problems' in read) return read;
    const paths = [...read.sources, ...inputs.watched];
    if ('failure' in read) return { failure: read.failure, inputs: paths };

    const compiler = compilerFor(fixed);
    const kept = await compileKept(read.files, bag, good, {
      inputs,
      identity,
      compiler,
      gatherer,
      settings,
      rootBefore,
    });
    const { value, files, objects, errors, alarms } = kept;
    const texts = [...new Map([...besides, ...files, ...read.files].map((file) => [file.path, file])).values()];
    if (value === undefined) return { problems: [format(errors, texts, 'text').trimEnd()], objects, inputs: paths };
    const { compilation } = value;
    const own = ownWorkload(compilation, identity);
    const fault = roleFault(own, inputs);
    if (fault !== undefined) return { problems: [fault], inputs: paths };
    // Nobody knows where a Deployment without pods is, but the machine that its proxy runs on.
    if (identity.ip === undefined && own?.addresses.length === 0) {
      addresses = [...((await inputs.ownAddresses?.()) ?? [])];
      identity = { ...identity, ip: addresses[0] };
      if (addresses.length > 0) return compile();
    }
    await letOthers();
    const written = withNodeId(proxyFilesOf(compilation, texts, memory), identity);
    await letOthers();
    const secrets = gatewaySecretsOf(written.listeners, value.objects, {
      namespace: inputs.gatewayNamespace ?? identity.namespace,
      fallback: inputs.fallbackSecret,
    });
    inputs.onFigures?.(compilation.figures);
    return {
      files: { ...written, secrets },
      warnings: kept.bag.all.length === 0 ? [] : [format(kept.bag.all, texts, 'text').trimEnd()],
      inputs: paths,
      ...(alarms.length > 0 && { alarms: [format(alarms, texts, 'text').trimEnd()] }),
      ...(good !== undefined && { changes: policyChanges(good.objects, value.objects) }),
      ...(objects.length > 0 && { held: { objects, problem: format(errors, texts, 'text').trimEnd() } }),
      accept: () => {
        good = { files, objects: value.objects };
        settingsMemory.accept(besides);
        rootBefore = compilation.decidedRoot;
      },
    };
  };
  return async () => {
    try {
      return await compile();
    } finally {
      // Everything is told: until the next change nobody asks where something stands.
      forgetPositions();
    }
  };
}

/** What does not stand in policies: settings, templates, the user's bootstrap, facts of the machine. */
async function readFixed(
  inputs: ProxyInputs,
  addresses: readonly string[],
  bag: DiagnosticBag,
): Promise<{ readonly value: CompilerInputs | undefined; readonly texts: readonly SourceFile[] }> {
  const { settings, sources } = await readSettings(inputs.settings, bag);
  const templates =
    inputs.templateFile === undefined ? undefined : await readTemplates(inputs.templateFile, bag, { filesOnly: true });
  const texts: SourceFile[] = [...sources, ...(templates?.files ?? [])];
  const custom = settings.proxy.customConfigFile || undefined;
  const bootstrap = await readUserBootstrap({ custom, override: inputs.bootstrapOverride }, bag, texts);
  const { environment, podInfo } = inputs.settings;
  const { memoryLimitBytes } = inputs;
  const host = await readHostFacts({ environment, podInfo, memoryLimitBytes, addresses }, settings, bag, texts);
  return { value: bag.hasErrors ? undefined : { settings, templates: templates?.value, host, bootstrap }, texts };
}

/**
 * Parts what reading said of files without an object. Of those whose objects are held the error says all. At the start
 * nothing is known of what stood there: then it is told as an error.
 */
function tellEmpty(
  bag: DiagnosticBag,
  { objects }: FilledFiles,
  isFirst: boolean,
): { readonly rest: DiagnosticBag; readonly told: readonly Diagnostic[] } {
  const held = new Set(objects.map(({ file }) => file));
  const rest = new DiagnosticBag();
  const told: Diagnostic[] = [];
  for (const diagnostic of bag.all) {
    const { code, span } = diagnostic;
    if (code === 'empty-file' && isFirst) told.push({ ...diagnostic, severity: 'error' });
    else if (code === 'empty-file' && held.has(span?.file ?? '')) continue;
    else if (code === 'empty-input' && held.size > 0) continue;
    else rest.addAll([diagnostic]);
  }
  return { rest, told };
}

/** What came of the inputs with the last good versions of emptied and faulty objects; `alarms` are errors that stop nothing. */
async function compileKept(
  read: readonly SourceFile[],
  before: DiagnosticBag,
  good: GoodInputs | undefined,
  compiling: Compiling & { readonly settings: Settings },
): Promise<Holding<Compiled> & { readonly alarms: readonly Diagnostic[] }> {
  const { compiler, identity, settings } = compiling;
  const filled = fillEmptied(read, good, (file) => compiler.read([file], new DiagnosticBag()));
  const { rest, told: alarms } = tellEmpty(before, filled, good === undefined);
  const holding = await compileHolding(
    filled.files,
    good,
    (object) => isElsewhere(object, identity, settings),
    (texts) => compileOnce(texts, rest, compiling),
  );
  const objects = [...filled.objects, ...holding.objects];
  return { ...holding, objects, errors: [...filled.errors, ...holding.errors], alarms };
}

interface Compiling {
  readonly inputs: ProxyInputs;
  readonly identity: ProxyIdentity;
  readonly compiler: Compiler;
  readonly gatherer: KeySetGatherer;
  /** The root namespace that the objects in force decided on. */
  readonly rootBefore: string | undefined;
}

interface Compiled {
  readonly compilation: Compilation;
  readonly objects: readonly MeshObject<string>[];
}

/** `before` is what reading the inputs had to say. */
async function compileOnce(
  files: readonly SourceFile[],
  before: DiagnosticBag,
  { inputs, identity, compiler, gatherer, rootBefore }: Compiling,
): Promise<Attempt<Compiled>> {
  const bag = new DiagnosticBag();
  bag.addAll(before.all);
  if (!bag.hasErrors) await readInPieces(compiler, files);
  const objects = bag.hasErrors ? [] : compiler.read(files, bag);
  const keys = await gatherer.gather(objects, bag);
  if (bag.hasErrors) return { bag, value: undefined };
  const compileObjects = (told: DiagnosticBag): Compilation | undefined =>
    compiler.compileObjects(objects, [identity], told, keys, { rootBefore, namespace: identity.namespace });
  inputs.keySets.renew();
  // Which keys this proxy needs shows only when its policies are compiled; the second time costs little.
  if (objects.some(({ kind }) => kind === 'RequestAuthentication')) compileObjects(new DiagnosticBag());
  await inputs.keySets.settle();
  await letOthers();
  const compilation = compileObjects(bag);
  return { bag, value: compilation && { compilation, objects } };
}

type ReadPolicies =
  | { readonly problems: readonly string[] }
  | { readonly sources: readonly string[]; readonly failure: Error }
  | { readonly sources: readonly string[]; readonly files: readonly SourceFile[] };

/** A folder that cannot be read is followed all the same: it may come, or come back. */
async function readPolicies(
  policies: readonly string[],
  settings: Settings,
  bag: DiagnosticBag,
  through: ReadThrough,
): Promise<ReadPolicies> {
  let sources: readonly string[] = policies;
  try {
    sources = [...policies, ...folderSources(settings)];
    return { sources, files: await readSources(sources, bag, { filesOnly: true, through }) };
  } catch (error) {
    if (error instanceof UsageError) return { problems: [error.message] };
    if (error instanceof SourceError) return { sources, failure: error };
    throw error;
  }
}

/** Whether an object of the input can have no effect on a proxy: these kinds hold in their own namespace, or in all. */
function isElsewhere({ kind, metadata }: JsonObject, identity: ProxyIdentity, settings: Settings): boolean {
  if (kind !== 'AuthorizationPolicy' && kind !== 'RequestAuthentication') return false;
  const { namespace = 'default' } = metadata as { readonly namespace?: string };
  return namespace !== identity.namespace && !mayBeRoot(String(namespace), settings);
}

interface MeshWorkload extends WorkloadKey {
  readonly role: string;
  readonly addresses: readonly string[];
}

function ownWorkload({ mesh }: Compilation, { namespace, name }: WorkloadKey): MeshWorkload | undefined {
  const { workloads } = mesh as unknown as { readonly workloads: readonly MeshWorkload[] };
  return workloads.find((workload) => workload.namespace === namespace && workload.name === name);
}

/** Why this proxy cannot run as it was told to: a gateway's listeners are not a sidecar's. */
function roleFault(own: MeshWorkload | undefined, { identity, role }: ProxyInputs): string | undefined {
  if (own === undefined || own.role === role) return undefined;
  return `workload "${identity.namespace}/${identity.name}" is a ${own.role} in the inputs, not a ${role}`;
}

/** Folders of `configSources`; a control plane is refused by name. */
export function folderSources({ configSources }: Settings): readonly string[] {
  return configSources.map((address) => {
    if (address.startsWith('fs://')) return address.slice('fs://'.length);
    throw new UsageError(`not supported yet: configSources "${address}" (fs:///path is)`);
  });
}
