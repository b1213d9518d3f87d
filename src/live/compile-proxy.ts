import type { Compilation } from '../compiler/compilation.ts';
import type { Compiler } from '../compiler/compile.ts';
import type { WorkloadKey } from '../compiler/merge/effective.ts';
import { explainRootNamespace } from '../compiler/root-namespace.ts';
import type { Settings } from '../config/settings.ts';
import type { CompileResult, ProxyCompiler } from '../contracts/compile-result.ts';
import type { ProxyFiles } from '../contracts/proxy-files.ts';
import { type Diagnostic, DiagnosticBag } from '../diagnostics/bag.ts';
import { format } from '../diagnostics/format.ts';
import type { SourceFile } from '../source/document.ts';
import { forgetPositions } from '../source/parse.ts';
import { ClosingSecrets } from './closing-secrets.ts';
import { type Compiled, type Compiling, compileKept, type KeptCompilation } from './compile-kept.ts';
import { SettingsMemory } from './emptied-files.ts';
import { compilerInputsOf, type FixedInputs } from './fixed-inputs.ts';
import { FolderMemory } from './folder-memory.ts';
import { gatewaySecretsOf, secretNamesOf } from './gateway-secrets.ts';
import type { GoodInputs } from './good-versions.ts';
import { createKeySetGatherer, hasFetchedKeys, type KeySetGatherer } from './key-sets/gather.ts';
import { measureFiles, type ReadFiles } from './largest-files.ts';
import { type ProxyIdentity, withNodeId } from './node-id.ts';
import { isTooLongForText, isTooMuch, lengthOf, tooLongForText, tooMuch } from './output-length.ts';
import { policyChanges } from './policy-changes.ts';
import { proxyFilesOf } from './proxy-files-of.ts';
import { type GoodState, InputsTooLarge, type ProxyInputs } from './proxy-inputs.ts';
import { readFixed, readPolicies } from './read-inputs.ts';
import { rememberCompiler } from './remember-compiler.ts';
import { SourceMemory } from './source-memory.ts';
import { letOthers } from './turns.ts';

/** The one seam between the agent and the compiler: the agent asks for files, and knows nothing else of it. */
export function createCompileProxy(inputs: ProxyInputs): ProxyCompiler {
  let read: ReadFiles | undefined;
  const onRead = (sizes: ReadFiles): void => {
    read = sizes;
    inputs.onRead?.(sizes);
  };
  const compilations = new Compilations({ ...inputs, onRead });
  const bounded = async <T>(compile: () => Promise<T>): Promise<T | { readonly problems: readonly string[] }> => {
    try {
      return await compile();
    } catch (error) {
      if (isTooLongForText(error)) return { problems: [tooLongForText(read)] };
      throw error;
    } finally {
      // All diagnostics are reported: no position is needed until the next change.
      forgetPositions();
    }
  };
  return { compile: () => bounded(() => compilations.compile()), renew: () => bounded(() => compilations.renew()) };
}

/** How inputs were compiled. */
interface Round {
  readonly files: readonly SourceFile[];
  readonly settings: Settings;
  readonly compiler: Compiler;
  /** All that origins and diagnostics may point at. */
  readonly texts: readonly SourceFile[];
}

/** The compilations of one proxy, one at a time, and what they know of each other. */
class Compilations {
  readonly #inputs: ProxyInputs;
  readonly #compilerFor = rememberCompiler();
  readonly #gatherer: KeySetGatherer;
  readonly #sources = new SourceMemory();
  readonly #folders: FolderMemory;
  readonly #settingsMemory: SettingsMemory;
  readonly #closing: ClosingSecrets;
  #good: GoodInputs | undefined;
  /** How the inputs in force were compiled; undefined also where another object put them in force, until `#recall`. */
  #inForce: Round | undefined;
  #rootBefore: string | undefined;
  #goodLength: number | undefined;
  #identity: ProxyIdentity;
  #addresses: readonly string[];

  constructor(inputs: ProxyInputs) {
    const { identity, keySets, judgeKeys, good, settings } = inputs;
    this.#inputs = inputs;
    this.#gatherer = createKeySetGatherer([], keySets, judgeKeys);
    this.#folders = new FolderMemory(good?.folders);
    this.#settingsMemory = new SettingsMemory(settings.meshConfig?.path, good?.saysSettings);
    this.#closing = new ClosingSecrets(identity.namespace, good?.goodSecrets);
    this.#rootBefore = good?.rootBefore;
    this.#goodLength = good?.outputLength;
    this.#addresses = good?.addresses ?? (identity.ip === undefined ? [] : [identity.ip]);
    this.#identity = { ...identity, ip: this.#addresses[0] };
  }

  async compile(): Promise<CompileResult> {
    const bag = new DiagnosticBag();
    const fixed = await readFixed(this.#inputs, this.#addresses, bag);
    const { settings, texts: besides } = fixed;
    const compilerInputs = await compilerInputsOf(fixed, bag);
    this.#settingsMemory.check(besides, bag);
    if (compilerInputs === undefined || bag.hasErrors)
      return { problems: [format(bag.all, besides, 'text').trimEnd()] };
    const round = this.#sources.round();
    const read = await readPolicies(this.#inputs.policies, settings, bag, round.read);
    if ('problems' in read) return read;
    const paths = [...read.sources, ...this.#inputs.watched];
    if ('failure' in read) return { failure: read.failure, inputs: paths };
    const unmounted = await this.#folders.findUnmounted(read.files);
    if (unmounted !== undefined) return { failure: unmounted, inputs: paths };

    checkSize([...besides, ...read.files], this.#inputs.maxCharacters?.());
    this.#inputs.onRead?.(measureFiles(read.files));
    const compiler = this.#compilerFor(compilerInputs);
    this.#good ??= goodOf(this.#inputs.good, compiler);
    const kept = await compileKept(read.files, bag, this.#good, this.#compilingWith(compiler, settings));
    const { value, files, objects, errors } = kept;
    const texts = [...new Map([...besides, ...files, ...read.files].map((file) => [file.path, file])).values()];
    if (value === undefined) return { problems: [format(errors, texts, 'text').trimEnd()], objects, inputs: paths };
    const own = ownWorkload(value.compilation, this.#identity);
    const fault = roleFault(own, this.#inputs);
    if (fault !== undefined) return { problems: [fault], inputs: paths };
    if (await this.#findAddresses(own)) return this.compile();

    const { written, length } = await this.#write(value, texts);
    if (isTooMuch(length, this.#goodLength))
      return { problems: [tooMuch(length, measureFiles(read.files))], inputs: paths };
    const { decidedRoot } = value.compilation;
    return {
      ...toldOf(kept, texts),
      files: await this.#withSecrets(written, value),
      inputs: paths,
      rootNamespace: explainRootNamespace(value.objects, settings, decidedRoot),
      jwksAllowedHosts: settings.jwksAllowedHosts,
      ...(this.#good !== undefined && { changes: policyChanges(this.#good.objects, value.objects) }),
      accept: () => {
        this.#good = { files, objects: value.objects };
        this.#inForce = { files, settings, compiler, texts };
        this.#settingsMemory.accept(besides);
        this.#folders.accept(round.places);
        this.#closing.accept(value.objects);
        this.#rootBefore = decidedRoot;
        this.#goodLength = length;
        this.#inputs.onAccept?.(this.#goodState(files, fixed));
      },
    };
  }

  /** The inputs in force with the keys of now, whatever the inputs have become since. */
  async renew(): Promise<CompileResult | undefined> {
    this.#inForce ??= await this.#recall();
    if (this.#inForce === undefined || !hasFetchedKeys(this.#good?.objects ?? [])) return undefined;
    const { files, settings, compiler, texts } = this.#inForce;
    const kept = await compileKept(files, new DiagnosticBag(), undefined, this.#compilingWith(compiler, settings));
    if (kept.value === undefined) return { problems: [format(kept.errors, texts, 'text').trimEnd()] };
    const { written } = await this.#write(kept.value, texts);
    return { files: await this.#withSecrets(written, kept.value), warnings: [] };
  }

  #compilingWith(compiler: Compiler, settings: Settings): Compiling {
    const known = { gatherer: this.#gatherer, closing: this.#closing, rootBefore: this.#rootBefore };
    return { proxy: this.#identity, compiler, settings, ...known };
  }

  /** What another object before this one put in force, as it was: the files may hold something else by now. */
  async #recall(): Promise<Round | undefined> {
    const { good } = this.#inputs;
    if (good === undefined) return undefined;
    const { files, fixed } = good;
    const bag = new DiagnosticBag();
    const compilerInputs = await compilerInputsOf(fixed, bag);
    if (compilerInputs === undefined) throw new Error(format(bag.all, fixed.texts, 'text').trimEnd());
    const compiler = this.#compilerFor(compilerInputs);
    this.#good ??= goodOf(good, compiler);
    return { files, settings: fixed.settings, compiler, texts: [...fixed.texts, ...files] };
  }

  /** Nobody knows where a Deployment without pods is, but the machine that its proxy runs on. Gives true once it is known. */
  async #findAddresses(own: OwnWorkload | undefined): Promise<boolean> {
    if (this.#identity.ip !== undefined || own?.addresses.length !== 0) return false;
    this.#addresses = [...((await this.#inputs.ownAddresses?.()) ?? [])];
    this.#identity = { ...this.#identity, ip: this.#addresses[0] };
    return this.#addresses.length > 0;
  }

  async #write({ compilation }: Compiled, texts: readonly SourceFile[]) {
    await letOthers();
    const written = withNodeId(proxyFilesOf(compilation, texts), this.#identity);
    return { written, length: lengthOf(written) };
  }

  async #withSecrets(written: ProxyFiles, { compilation, objects }: Compiled): Promise<ProxyFiles> {
    await letOthers();
    const namespace = this.#inputs.gatewayNamespace ?? this.#identity.namespace;
    const { fallbackSecret: fallback } = this.#inputs;
    const secrets = gatewaySecretsOf(secretNamesOf(written.listeners.resources), objects, { namespace, fallback });
    this.#inputs.onFigures?.(compilation.figures);
    return { ...written, secrets };
  }

  #goodState(files: readonly SourceFile[], fixed: FixedInputs): GoodState {
    return {
      files,
      fixed,
      saysSettings: this.#settingsMemory.hasSaid,
      outputLength: this.#goodLength ?? 0,
      goodSecrets: this.#closing.good,
      rootBefore: this.#rootBefore,
      addresses: this.#addresses,
      folders: this.#folders.accepted,
    };
  }
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

type OwnWorkload = Compilation['workloads'][number];

function ownWorkload({ workloads }: Compilation, { namespace, name }: WorkloadKey): OwnWorkload | undefined {
  return workloads.find((workload) => workload.namespace === namespace && workload.name === name);
}

/** Why this proxy cannot run as it was told to: a gateway's listeners are not a sidecar's. */
function roleFault(own: OwnWorkload | undefined, { identity, role }: ProxyInputs): string | undefined {
  if (own === undefined || own.role === role) return undefined;
  return `workload "${identity.namespace}/${identity.name}" is a ${own.role} in the inputs, not a ${role}`;
}
