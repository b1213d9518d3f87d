import type { Compilation } from '../compiler/compilation.ts';
import type { Compiler } from '../compiler/compile.ts';
import type { MissingDestination } from '../compiler/merge/missing-destinations.ts';
import type { FaultyProxy } from '../compiler/render-snapshot.ts';
import { mayHoldIn } from '../compiler/root-namespace.ts';
import type { Snapshot } from '../compiler/snapshot.ts';
import { tokenRulesOf } from '../compiler/token-rules.ts';
import type { Settings } from '../config/settings.ts';
import { type Diagnostic, DiagnosticBag } from '../diagnostics/bag.ts';
import type { DiagnosticCode } from '../diagnostics/registry.ts';
import type { SourceSpan } from '../diagnostics/span.ts';
import type { MeshObject } from '../policy/object.ts';
import type { JsonObject, SourceFile } from '../source/document.ts';
import type { ClosingSecrets } from './closing-secrets.ts';
import { type Attempt, compileHolding, type Holding } from './compile-holding.ts';
import { type FilledFiles, fillEmptied } from './emptied-files.ts';
import type { GoodInputs } from './good-versions.ts';
import type { GatheredKeySets, KeySetGatherer } from './key-sets/gather.ts';
import type { ProxyIdentity } from './node-id.ts';
import { letOthers, readInPieces } from './turns.ts';

/** What came of the inputs; `alarms` are errors that stop nothing. */
export type KeptCompilation = Holding<Compiled> & { readonly alarms: readonly Diagnostic[] };

/**
 * Compiles the files with the last valid versions of emptied and faulty objects in their place. `before` is what reading
 * them had to say.
 */
export async function compileKept(
  read: readonly SourceFile[],
  before: DiagnosticBag,
  good: GoodInputs | undefined,
  compiling: Compiling,
): Promise<KeptCompilation> {
  const { compiler, proxy, settings } = compiling;
  const filled = fillEmptied(read, good, (file, bag) => compiler.read([file], bag));
  const { rest, told: alarms } = tellEmpty(before, filled, good === undefined);
  const holding = await compileHolding(
    filled.files,
    good,
    proxy === 'all' ? 'everything' : (object) => isElsewhere(object, proxy, settings),
    (texts) => compileOnce(texts, rest, good?.objects ?? [], compiling),
  );
  const objects = [...filled.objects, ...holding.objects];
  return { ...holding, objects, errors: [...filled.errors, ...holding.errors], alarms };
}

/** What the compilations of one round share. */
export interface Compiling {
  /** Whom it is compiled for: one proxy, which keeps to its own namespace and the root namespace, or all. */
  readonly proxy: ProxyIdentity | 'all';
  readonly settings: Settings;
  readonly compiler: Compiler;
  readonly gatherer: KeySetGatherer;
  /** The root namespace that the objects in force decided on. */
  readonly rootBefore: string | undefined;
  readonly closing: ClosingSecrets;
}

/** What one compilation gave, and the objects that it was made of. */
export interface Compiled {
  readonly compilation: Compilation;
  readonly objects: readonly MeshObject<string>[];
  readonly snapshot: Snapshot;
  /** Compiling for all: those that could not be configured. */
  readonly faulty: readonly FaultyProxy[];
  readonly keySets: GatheredKeySets;
}

/** `before` is what reading the inputs had to say, `lastValid` what was in force before them. */
async function compileOnce(
  files: readonly SourceFile[],
  before: DiagnosticBag,
  lastValid: GoodInputs['objects'],
  { proxy, compiler, gatherer, rootBefore, closing }: Compiling,
): Promise<Attempt<Compiled>> {
  const bag = new DiagnosticBag();
  bag.addAll(before.all);
  if (!bag.hasErrors) await readInPieces(compiler, files);
  const objects = bag.hasErrors ? [] : compiler.read(files, bag);
  const keySets = await gatherer.gather(objects, bag);
  if (bag.hasErrors) return { bag, value: undefined };
  const snapshot = compiler.analyse(objects, bag, {
    ...{ rootBefore, lastValid },
    namespace: proxy === 'all' ? undefined : proxy.namespace,
  });
  if (snapshot === undefined) return { bag, value: undefined };
  await keySets.fetch(tokenRulesOf(snapshot, proxy));
  await letOthers();
  const faulty: FaultyProxy[] = [];
  const selection = {
    ...{ select: proxy === 'all' ? proxy : [proxy], keySets, closingSecrets: closing.of(objects) },
    onFaulty: proxy === 'all' ? (found: FaultyProxy) => faulty.push(found) : undefined,
  };
  const compilation = compiler.render(snapshot, selection, bag);
  const ofProxies = [...new Set(faulty.flatMap(({ errors }) => errors))];
  return {
    bag: withoutEchoes(bag, snapshot.effective.missingDestinations),
    value: compilation && { compilation, objects, snapshot, faulty, keySets },
    ofProxies,
  };
}

/** Routes to what is missing are made for each client, and told of each: without what only says the same again. */
function withoutEchoes(bag: DiagnosticBag, missing: readonly MissingDestination[]): DiagnosticBag {
  if (missing.length === 0) return bag;
  const placeOf = ({ file, start }: SourceSpan): string => `${file}\n${start}`;
  const places = new Set(
    missing.map(({ virtualService, path }) => placeOf(virtualService.document.spanOf([...path, 'host']))),
  );
  const isEcho = ({ code, span }: Diagnostic): boolean =>
    ofClients.has(code) && span !== undefined && places.has(placeOf(span));
  const rest = new DiagnosticBag();
  rest.addAll(bag.all.filter((diagnostic) => !isEcho(diagnostic)));
  return rest;
}

/** What is said of a destination that one client does not find. */
const ofClients: ReadonlySet<DiagnosticCode> = new Set<DiagnosticCode>([
  'unseen-destination',
  'destination-without-port',
]);

/** Kinds whose objects hold in their own namespace, or, in the root namespace, in all. */
const boundToNamespaces: ReadonlySet<string> = new Set(['AuthorizationPolicy', 'RequestAuthentication', 'Sidecar']);

/** Whether an object of the input can have no effect on a proxy. */
function isElsewhere({ kind, metadata }: JsonObject, identity: ProxyIdentity, settings: Settings): boolean {
  if (!boundToNamespaces.has(String(kind))) return false;
  const { namespace = 'default' } = metadata as { readonly namespace?: string };
  return !mayHoldIn(identity.namespace, String(namespace), settings);
}

/**
 * Parts what reading said of files without an object. Of those whose objects are held the error says all. At the start
 * nothing is known of what stood there: then it is reported as an error.
 */
function tellEmpty(
  bag: DiagnosticBag,
  { objects, warnings }: FilledFiles,
  isFirst: boolean,
): { readonly rest: DiagnosticBag; readonly told: readonly Diagnostic[] } {
  const held = new Set(objects.map(({ file }) => file));
  const rest = new DiagnosticBag();
  rest.addAll(warnings);
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
