import type { Compilation } from '../compiler/compilation.ts';
import type { Compiler } from '../compiler/compile.ts';
import type { WorkloadKey } from '../compiler/merge/effective.ts';
import { explainRootNamespace } from '../compiler/root-namespace.ts';
import type { CompileProxy } from '../contracts/compile-result.ts';
import { type Diagnostic, DiagnosticBag } from '../diagnostics/bag.ts';
import { format } from '../diagnostics/format.ts';
import type { SourceFile } from '../source/document.ts';
import { forgetPositions } from '../source/parse.ts';
import { ClosingSecrets } from './closing-secrets.ts';
import { compileKept, type KeptCompilation } from './compile-kept.ts';
import { SettingsMemory } from './emptied-files.ts';
import { gatewaySecretsOf } from './gateway-secrets.ts';
import type { GoodInputs } from './good-versions.ts';
import { createKeySetGatherer } from './key-sets/gather.ts';
import { measureFiles, type ReadFiles } from './largest-files.ts';
import { withNodeId } from './node-id.ts';
import { isTooLongForText, isTooMuch, lengthOf, tooLongForText, tooMuch } from './output-length.ts';
import { policyChanges } from './policy-changes.ts';
import { proxyFilesOf } from './proxy-files-of.ts';
import { type GoodState, InputsTooLarge, type ProxyInputs } from './proxy-inputs.ts';
import { readFixed, readPolicies } from './read-inputs.ts';
import { rememberCompiler } from './remember-compiler.ts';
import { SourceMemory } from './source-memory.ts';
import { letOthers } from './turns.ts';

/** The one seam between the agent and the compiler: the agent asks for files, and knows nothing else of it. */
export function createCompileProxy(inputs: ProxyInputs): CompileProxy {
  let read: ReadFiles | undefined;
  const onRead = (sizes: ReadFiles): void => {
    read = sizes;
    inputs.onRead?.(sizes);
  };
  const compile = createCompile({ ...inputs, onRead });
  return async () => {
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
}

function createCompile(inputs: ProxyInputs): CompileProxy {
  const compilerFor = rememberCompiler();
  const gatherer = createKeySetGatherer([], inputs.keySets, inputs.judgeKeys);
  const sources = new SourceMemory();
  const settingsMemory = new SettingsMemory(inputs.settings.meshConfig?.path, inputs.good?.saysSettings);
  const closing = new ClosingSecrets(inputs.identity.namespace, inputs.good?.goodSecrets);
  let good: GoodInputs | undefined;
  let rootBefore = inputs.good?.rootBefore;
  let goodLength = inputs.good?.outputLength;
  let { identity } = inputs;
  let addresses = identity.ip === undefined ? [] : [identity.ip];
  return async function compile(): ReturnType<CompileProxy> {
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
    const sizes = measureFiles(read.files);
    inputs.onRead?.(sizes);
    const compiler = compilerFor(fixed);
    good ??= goodOf(inputs.good, compiler);
    const compiling = { proxy: identity, compiler, gatherer, settings, closing, rootBefore };
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
    const written = withNodeId(proxyFilesOf(compilation, texts), identity);
    const outputLength = lengthOf(written);
    if (isTooMuch(outputLength, goodLength)) return { problems: [tooMuch(outputLength, sizes)], inputs: paths };
    await letOthers();
    const namespace = inputs.gatewayNamespace ?? identity.namespace;
    const secrets = gatewaySecretsOf(written.listeners, value.objects, { namespace, fallback: inputs.fallbackSecret });
    inputs.onFigures?.(compilation.figures);
    return {
      files: { ...written, secrets },
      ...toldOf(kept, texts),
      ...{ inputs: paths, rootNamespace: explainRootNamespace(value.objects, settings, compilation.decidedRoot) },
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
