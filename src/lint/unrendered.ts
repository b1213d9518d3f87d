import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { MeshObject } from '../policy/object.ts';
import { keyOf } from '../policy/object-key.ts';
import type { SourceFile } from '../source/document.ts';
import { folderOf, isKustomization, type Kustomization, readKustomization } from './kustomize-files.ts';

/** The inputs that stand for themselves, and what is known of those that another program makes objects of. */
export interface Unrendered {
  readonly inputs: readonly SourceFile[];
  /** Of objects of one name that no build has together, the first; reports the others. */
  withoutAlternatives<O extends MeshObject<string>>(objects: readonly O[], bag: DiagnosticBag): readonly O[];
  /** Something of Kustomize or Helm was among the inputs. */
  readonly isAny: boolean;
  /** The command whose output is to be linted, where nothing else was among the inputs. */
  readonly onlyMadeBy: string | undefined;
}

/**
 * Takes from the inputs what is no object by itself: patches of Kustomize, its own files, and the templates of Helm's charts;
 * what they are patches of may stand in `surroundings`, which are no inputs. Each program is named with the command whose output
 * can be linted.
 */
export function withoutUnrendered(
  files: readonly SourceFile[],
  surroundings: readonly SourceFile[],
  bag: DiagnosticBag,
): Unrendered {
  const builds = [...files, ...surroundings].filter(({ path }) => isKustomization(path)).map(readKustomization);
  const charts = [...files, ...surroundings]
    .filter(({ path }) => /(^|\/)Chart\.yaml$/.test(path))
    .map(({ path }) => folderOf(path));
  if (builds.length === 0 && charts.length === 0) {
    return { inputs: files, withoutAlternatives: (objects) => objects, isAny: false, onlyMadeBy: undefined };
  }
  const patchOf = new Map(builds.flatMap((build) => [...build.parts].map((part) => [part, build] as const)));
  const patched = new Map<Kustomization, string[]>();
  const templates = new Map<string, number>();
  const inputs = files.filter(({ path, text }) => {
    const build = patchOf.get(path);
    const chart = charts.find((folder) => path.startsWith(folder === '.' ? 'templates/' : `${folder}/templates/`));
    if (build !== undefined) patched.set(build, [...(patched.get(build) ?? []), path]);
    else if (chart !== undefined && text.includes('{{')) templates.set(chart, (templates.get(chart) ?? 0) + 1);
    else return true;
    return false;
  });
  const commands: string[] = [];
  for (const [build, paths] of patched) {
    commands.push(commandOf(build));
    const hint = `lint what they are a part of: ${commandOf(build)}`;
    bag.report('patches-left-out', undefined, { build: build.path, patches: namesOf(paths) }, { hint });
  }
  for (const [chart, count] of templates) {
    const command = `helm template ${chart} | meshpol lint -`;
    commands.push(command);
    const hint = `lint what it makes: ${command}`;
    bag.report('templates-left-out', undefined, { chart, count: String(count) }, { hint });
  }
  const withoutAlternatives: Unrendered['withoutAlternatives'] = (objects, to) => firstOfBuilds(objects, builds, to);
  // What the programs read by its name is skipped as in a folder, where it may have no kind.
  const ownFiles = inputs.map((file) => (isOfProgram(file.path, charts) ? { ...file, isFound: true as const } : file));
  const onlyMadeBy = inputs.every(({ path }) => isOfProgram(path, charts)) ? commands[0] : undefined;
  return { inputs: ownFiles, withoutAlternatives, isAny: true, onlyMadeBy };
}

/** Programs read these by their names. */
function isOfProgram(path: string, charts: readonly string[]): boolean {
  if (isKustomization(path)) return true;
  const folder = folderOf(path);
  return charts.includes(folder) && /(^|\/)(Chart|values[^/]*)\.yaml$/.test(path);
}

function commandOf({ folder }: Kustomization): string {
  return `kustomize build ${folder} | meshpol lint -`;
}

/** Builds that have one object each, and none that has both, are alternatives: overlays for one stage or another. */
function firstOfBuilds<O extends MeshObject<string>>(
  objects: readonly O[],
  builds: readonly Kustomization[],
  bag: DiagnosticBag,
): readonly O[] {
  const firsts = new Map<string, O>();
  const left = new Map<Kustomization, string[]>();
  const reached = builds.map((build) => ({ build, files: filesOf(build, builds) }));
  const kept = objects.filter((object) => {
    const first = firsts.get(keyOf(object));
    if (first === undefined) {
      firsts.set(keyOf(object), object);
      return true;
    }
    const [one, other] = [first.document.file, object.document.file];
    const own = reached.find(({ files }) => files.has(other));
    if (own === undefined || !reached.some(({ files }) => files.has(one))) return true;
    if (reached.some(({ files }) => files.has(one) && files.has(other))) return true;
    left.set(own.build, [...(left.get(own.build) ?? []), other]);
    return false;
  });
  for (const [build, paths] of left) {
    const holes = { build: build.path, files: namesOf([...new Set(paths)]) };
    bag.report('alternatives-left-out', undefined, holes, { hint: `lint each build: ${commandOf(build)}` });
  }
  return kept;
}

/** The files of a build, and those of the builds that it takes over. */
function filesOf(build: Kustomization, builds: readonly Kustomization[]): ReadonlySet<string> {
  const files = new Set<string>();
  const waiting = [build];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const path of at.resources) {
      if (files.has(path)) continue;
      files.add(path);
      waiting.push(...builds.filter(({ folder }) => folder === path));
    }
  }
  return files;
}

/** So many are named. */
const mostNamed = 5;

function namesOf(paths: readonly string[]): string {
  const more = paths.length > mostNamed ? [`and ${paths.length - mostNamed} more`] : [];
  return [...paths.slice(0, mostNamed), ...more].join(', ');
}
