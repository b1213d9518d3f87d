import type { HostFacts } from '../config/host-facts.ts';
import type { Settings } from '../config/settings.ts';
import { type Diagnostic, DiagnosticBag } from '../diagnostics/bag.ts';
import { collect } from './collect.ts';
import type { Compilation } from './compilation.ts';
import { createLowerCache, lower } from './lower/lower.ts';
import type { ClientScope, Effective } from './merge/effective.ts';
import { clientScope, merge } from './merge/merge.ts';
import { meshFigures } from './mesh-figures.ts';
import type { Gateway } from './policy/gateway.ts';
import type { KeySets } from './policy/key-sets.ts';
import type { MeshObject } from './policy/object.ts';
import type { TopologyObject } from './policy/topology-kinds.ts';
import { meshJson } from './render/mesh-json.ts';
import { createRenderer } from './render/render.ts';
import type { Resource } from './render/resource.ts';
import type { Templates } from './render/templates.ts';
import type { UserBootstrap } from './render/user-bootstrap.ts';
import { decideRootNamespace } from './root-namespace.ts';
import { isSkipped } from './schema/dispatch.ts';
import { countSkipped, validate } from './schema/validate.ts';
import { type SelectedWorkload, selectWorkloads } from './select.ts';
import type { PolicyDocument, SourceFile } from './source/document.ts';
import { parse } from './source/parse.ts';
import { gatewaySelectors } from './topology/gateway-selectors.ts';
import type { Topology, Workload } from './topology/model.ts';
import { resolveTopology } from './topology/resolve.ts';
import { reportUnreadAnnotations } from './topology/unread-annotations.ts';
import { verify } from './verify/verify.ts';

export interface CompileOptions {
  readonly settings: Settings;
  /** A user's templates; the built-in ones when absent. */
  readonly templates?: Templates;
  /** Of the machine that the proxies start on. */
  readonly host?: HostFacts;
  /** A bootstrap of the user's, or what is laid over ours. */
  readonly bootstrap?: UserBootstrap;
}

type Selection = 'all' | readonly SelectedWorkload[];

/** What a proxy that compiles for itself knows and wants to hear. */
export interface ProxyView {
  /** The root namespace that objects decided on before: what they decide now must be the same. */
  readonly rootBefore: string | undefined;
  /** Its namespace: policies in force nowhere are told of this one and the root namespace alone. */
  readonly namespace: string;
  /** Names of a gateway's Secrets that are no error when they cannot serve: their servers stay closed. Same names, same object. */
  readonly closingSecrets?: ReadonlySet<string>;
}

/** A compiler that remembers: compiling again costs what changed. */
export interface Compiler {
  /** The sound objects of the files; with errors in the bag there may be others. */
  read(files: readonly SourceFile[], bag: DiagnosticBag): readonly MeshObject<string>[];
  /** Undefined when the bag holds an error; nothing of a faulty input is given out. */
  compileObjects(
    objects: readonly MeshObject<string>[],
    select: Selection,
    bag: DiagnosticBag,
    keySets?: KeySets,
    view?: ProxyView,
  ): Compilation | undefined;
  /** Both in one. */
  compile(
    files: readonly SourceFile[],
    select: Selection,
    bag: DiagnosticBag,
    keySets?: KeySets,
  ): Compilation | undefined;
}

/** Text in, Envoy configuration out; pure. One call of a fresh compiler. */
export function compile(
  input: CompileOptions & {
    readonly files: readonly SourceFile[];
    readonly select: Selection;
    readonly keySets?: KeySets;
  },
  bag: DiagnosticBag,
): Compilation | undefined {
  return createCompiler(input).compile(input.files, input.select, bag, input.keySets);
}

/**
 * Every stage once, in order. Between calls the stages keep what did not change, by identity: an unchanged file gives
 * the same objects, the same objects the same topology, and so on down to the rendered resources.
 */
export function createCompiler({ settings, templates, host, bootstrap }: CompileOptions): Compiler {
  const reader = createReader();
  const resolve = createResolver(settings);
  const under = createRooted(settings);
  const renderer = createRenderer(templates, bootstrap);
  const lowered = createLowerCache();
  const verified = new WeakSet<Resource>();
  let effective: Effective | undefined;

  const compileObjects: Compiler['compileObjects'] = (objects, select, bag, keySets, view) => {
    const { topology: topologyObjects, policies } = collect(objects, bag);
    const decidedRoot = decideRootNamespace(objects, settings, bag, view?.rootBefore);
    if (bag.hasErrors) return undefined;
    const topology = resolve(topologyObjects, policies.gateways, bag);
    const workloads = selectWorkloads(topology, select, bag);
    if (bag.hasErrors) return undefined;
    effective = merge(
      { ...policies, topology, settings: under(decidedRoot), toldNamespace: view?.namespace },
      bag,
      effective,
    );
    if (bag.hasErrors) return undefined;

    const scopeOf = (workload: Workload): ClientScope =>
      clientScope(workload, settings, policies.destinationRules, policies.virtualServices);
    const input = { topology, effective, settings, scopeOf, keySets, host, closingSecrets: view?.closingSecrets };
    lowered.memoOf(settings).nextRun();
    const proxies = workloads.map((workload) => lower(workload, input, bag, lowered));
    if (bag.hasErrors) return undefined;
    const configs = proxies.flatMap((proxy) => {
      const config = renderer.render(proxy, bag);
      if (config !== undefined) verify(proxy, config, bag, verified);
      return config ?? [];
    });
    if (bag.hasErrors) return undefined;
    const figures = meshFigures(topology, policies, proxies, bag.all);
    return {
      configs,
      workloads,
      decidedRoot,
      get mesh() {
        return meshJson(topology, settings);
      },
      figures,
    };
  };

  const read: Compiler['read'] = (files, bag) => {
    const entries = files.map((file) => reader(file, bag));
    countSkipped(
      entries.flatMap(({ documents }) => documents),
      bag,
    );
    const objects = entries.flatMap((entry) => entry.objects);
    reportUnreadAnnotations(objects, bag);
    return objects;
  };

  return {
    read,
    compileObjects,
    compile: (files, select, bag, keySets) => {
      const objects = read(files, bag);
      return bag.hasErrors ? undefined : compileObjects(objects, select, bag, keySets);
    },
  };
}

/** The settings with the root namespace that objects decide on: for one decision the same object. */
function createRooted(settings: Settings): (decidedRoot: string | undefined) => Settings {
  const rooted = new Map([[settings.rootNamespace, settings]]);
  return (rootNamespace = settings.rootNamespace) => {
    const found = rooted.get(rootNamespace) ?? { ...settings, rootNamespace };
    rooted.set(rootNamespace, found);
    return found;
  };
}

/** Resolves the topology again only when its objects, or what Gateways select, are others than before. */
function createResolver(settings: Settings) {
  let known:
    | {
        readonly objects: readonly TopologyObject[];
        readonly selected: string;
        readonly topology: Topology;
        readonly diagnostics: readonly Diagnostic[];
      }
    | undefined;
  return (objects: readonly TopologyObject[], gateways: readonly Gateway[], bag: DiagnosticBag): Topology => {
    const selectors = gatewaySelectors(gateways, settings);
    const selected = JSON.stringify(selectors);
    if (known === undefined || known.selected !== selected || !isSameList(known.objects, objects)) {
      const own = new DiagnosticBag();
      const topology = resolveTopology(objects, settings, own, known?.topology, selectors);
      known = { objects, selected, topology, diagnostics: own.all };
    }
    bag.addAll(known.diagnostics);
    return known.topology;
  };
}

/** One file's documents, the objects among them, and what reading them had to say. */
interface ReadFile {
  readonly text: string;
  readonly documents: readonly PolicyDocument[];
  readonly objects: readonly MeshObject<string>[];
  readonly bag: DiagnosticBag;
}

/** Reads a file's objects once a text: parsing is the largest cost of a run. */
function createReader(): (file: SourceFile, bag: DiagnosticBag) => ReadFile {
  const cache = new Map<string, ReadFile>();
  return (file, bag) => {
    let entry = cache.get(file.path);
    if (entry === undefined || entry.text !== file.text) {
      const own = new DiagnosticBag();
      const documents = parse([file], own, undefined, isSkipped);
      const objects = documents.flatMap((document) => validate(document, own) ?? []);
      entry = { text: file.text, documents, objects, bag: own };
      cache.set(file.path, entry);
    }
    bag.addAll(entry.bag.all);
    return entry;
  };
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}
