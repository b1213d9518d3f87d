import type { AgentConfig } from '../../agent/agent-config.ts';
import type { CompileProxy } from '../../agent/reload/proxy-files.ts';
import type { Compilation } from '../../compiler/compilation.ts';
import type { Compiler } from '../../compiler/compile.ts';
import type { WorkloadKey } from '../../compiler/merge/effective.ts';
import type { MeshFigures } from '../../compiler/mesh-figures.ts';
import type { MeshObject } from '../../compiler/policy/object.ts';
import { mayBeRoot } from '../../compiler/root-namespace.ts';
import type { JsonObject, SourceFile } from '../../compiler/source/document.ts';
import { forgetPositions } from '../../compiler/source/parse.ts';
import type { SettingsOptions } from '../../config/read.ts';
import type { Settings } from '../../config/settings.ts';
import { type Diagnostic, DiagnosticBag } from '../../diagnostics/bag.ts';
import { format } from '../../diagnostics/format.ts';
import type { JudgeKeys } from '../../envoy/judge-keys.ts';
import { createKeySetGatherer, type KeySetGatherer, type RemoteKeySets } from '../key-sets/gather.ts';
import { createPlanMemory } from '../output/plan.ts';
import { ClosingSecrets } from './closing-secrets.ts';
import { type Attempt, compileHolding, type Holding } from './compile-holding.ts';
import { type FilledFiles, fillEmptied, SettingsMemory } from './emptied-files.ts';
import { gatewaySecretsOf } from './gateway-secrets.ts';
import type { GoodInputs } from './good-versions.ts';
import { isTooMuch, lengthOf, tooMuch } from './output-length.ts';
import { policyChanges } from './policy-changes.ts';
import { proxyFilesOf } from './proxy-files-of.ts';
import { readFixed, readPolicies } from './read-inputs.ts';
import { rememberCompiler } from './remember-compiler.ts';
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
  /** Files that Envoy may have open; undefined where it is not known. */
  readonly descriptorLimit?: number | undefined;
  readonly identity: ProxyIdentity;
  /** Asked for when neither the identity nor the inputs know an address. */
  readonly ownAddresses?: () => Promise<readonly string[]>;
  readonly role: AgentConfig['role'];
  /** Name of the Secret that stands in for those that gateway servers name and that are not there. */
  readonly fallbackSecret: string;
  /** Where Secrets of gateway servers are looked for; undefined: the proxy's own namespace, and no other one. */
  readonly gatewayNamespace?: string | undefined;
  /** Keys that do not stand in a rule are fetched. */
  readonly keySets: AgentKeySets;
  /** Refuses key sets of rules that Envoy would not take. */
  readonly judgeKeys?: JudgeKeys;
  /** Hears what each compilation that gave a configuration counted. */
  readonly onFigures?: (figures: MeshFigures) => void;
  /** The last good inputs of a compile function before this one. */
  readonly good?: GoodState | undefined;
  /** Hears of inputs that are in force: from now on they are the last good ones. */
  readonly onAccept?: (good: GoodState) => void;
  /** What is larger throws `InputsTooLarge` before it is parsed; absent: nothing is too large. */
  readonly maxCharacters?: () => number;
}

/** Fetched keys, as a compilation asks for them. */
export interface AgentKeySets extends RemoteKeySets {
  /** Begins a compilation: what earlier ones asked for counts no more. */
  renew(): void;
  /** Waits, for a bounded time, for what was asked for. */
  settle(): Promise<void>;
}

/** Inputs that are in force. */
export interface GoodState {
  readonly files: readonly SourceFile[];
  /** The mesh configuration held something. */
  readonly saysSettings: boolean;
  /** Characters of the configuration that was made of them. */
  readonly outputLength: number;
  /** Names of the Secrets that could serve. */
  readonly goodSecrets: readonly string[];
  /** The root namespace that the objects decided on. */
  readonly rootBefore: string | undefined;
}

/** The inputs are larger than the caller has time for. */
export class InputsTooLarge extends Error {}

/** The one seam between the agent and the compiler: the agent asks for files, and knows nothing else of it. */
export function createCompileProxy(inputs: ProxyInputs): CompileProxy {
  const compilerFor = rememberCompiler();
  const gatherer = createKeySetGatherer([], inputs.keySets, inputs.judgeKeys);
  const memory = createPlanMemory();
  const sources = new SourceMemory();
  const settingsMemory = new SettingsMemory(inputs.settings.meshConfig?.path, inputs.good?.saysSettings);
  const closing = new ClosingSecrets(inputs.identity.namespace, inputs.good?.goodSecrets);
  let good: GoodInputs | undefined;
  let rootBefore = inputs.good?.rootBefore;
  let goodLength = inputs.good?.outputLength;
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

    checkSize([...besides, ...read.files], inputs.maxCharacters?.());
    const compiler = compilerFor(fixed);
    good ??= goodOf(inputs.good, compiler);
    const compiling = { inputs, identity, compiler, gatherer, settings, closing, rootBefore };
    const kept = await compileKept(read.files, bag, good, compiling);
    const { value, files, objects, errors } = kept;
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
    const outputLength = lengthOf(written);
    if (isTooMuch(outputLength, goodLength)) return { problems: [tooMuch(outputLength)], inputs: paths };
    await letOthers();
    const secrets = gatewaySecretsOf(written.listeners, value.objects, {
      namespace: inputs.gatewayNamespace ?? identity.namespace,
      fallback: inputs.fallbackSecret,
    });
    inputs.onFigures?.(compilation.figures);
    return {
      files: { ...written, secrets },
      ...toldOf(kept, texts),
      inputs: paths,
      ...(good !== undefined && { changes: policyChanges(good.objects, value.objects) }),
      accept: () => {
        good = { files, objects: value.objects };
        settingsMemory.accept(besides);
        rootBefore = compilation.decidedRoot;
        goodLength = outputLength;
        closing.accept(value.objects, kept.bag.all);
        const rest = { saysSettings: settingsMemory.hasSaid, outputLength, goodSecrets: closing.good, rootBefore };
        inputs.onAccept?.({ files, ...rest });
      },
    };
  };
  // Everything is told: until the next change nobody asks where something stands.
  return () => compile().finally(forgetPositions);
}

function goodOf(state: GoodState | undefined, { read }: Compiler): GoodInputs | undefined {
  return state && { files: state.files, objects: read(state.files, new DiagnosticBag()) };
}

/** What is said of inputs that were compiled. */
function toldOf({ bag, objects, errors, alarms }: KeptCompilation, texts: readonly SourceFile[]) {
  const text = (diagnostics: readonly Diagnostic[]): string => format(diagnostics, texts, 'text').trimEnd();
  return {
    warnings: bag.all.length === 0 ? [] : [text(bag.all)],
    ...(alarms.length > 0 && { alarms: [text(alarms)] }),
    ...(objects.length > 0 && { held: { objects, problem: text(errors) } }),
  };
}

function checkSize(files: readonly SourceFile[], maxCharacters = Number.POSITIVE_INFINITY): void {
  const characters = files.reduce((sum, { text }) => sum + text.length, 0);
  if (characters > maxCharacters) throw new InputsTooLarge(`the inputs have ${characters} characters`);
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
type KeptCompilation = Holding<Compiled> & { readonly alarms: readonly Diagnostic[] };

async function compileKept(
  read: readonly SourceFile[],
  before: DiagnosticBag,
  good: GoodInputs | undefined,
  compiling: Compiling & { readonly settings: Settings },
): Promise<KeptCompilation> {
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
  readonly closing: ClosingSecrets;
}

interface Compiled {
  readonly compilation: Compilation;
  readonly objects: readonly MeshObject<string>[];
}

/** `before` is what reading the inputs had to say. */
async function compileOnce(
  files: readonly SourceFile[],
  before: DiagnosticBag,
  { inputs, identity, compiler, gatherer, rootBefore, closing }: Compiling,
): Promise<Attempt<Compiled>> {
  const bag = new DiagnosticBag();
  bag.addAll(before.all);
  if (!bag.hasErrors) await readInPieces(compiler, files);
  const objects = bag.hasErrors ? [] : compiler.read(files, bag);
  const keys = await gatherer.gather(objects, bag);
  if (bag.hasErrors) return { bag, value: undefined };
  const compileObjects = (told: DiagnosticBag): Compilation | undefined =>
    compiler.compileObjects(objects, [identity], told, keys, {
      ...{ rootBefore, namespace: identity.namespace, closingSecrets: closing.of(objects) },
    });
  inputs.keySets.renew();
  // Which keys this proxy needs shows only when its policies are compiled; the second time costs little.
  if (objects.some(({ kind }) => kind === 'RequestAuthentication')) compileObjects(new DiagnosticBag());
  await inputs.keySets.settle();
  await letOthers();
  const compilation = compileObjects(bag);
  return { bag, value: compilation && { compilation, objects } };
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
