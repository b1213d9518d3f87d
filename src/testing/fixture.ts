import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Compilation } from '../compiler/compilation.ts';
import { createCompiler } from '../compiler/compile.ts';
import type { WorkloadKey } from '../compiler/merge/effective.ts';
import type { Delivery } from '../compiler/render/resource.ts';
import type { Templates } from '../compiler/render/templates.ts';
import { readSettings } from '../config/read.ts';
import type { Settings } from '../config/settings.ts';
import type { SettingsFlags } from '../config/settings-of.ts';
import { reportUnreadBootstrap } from '../config/unread-bootstrap.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { readKeySetFiles } from '../live/key-sets/files.ts';
import { createKeySetGatherer } from '../live/key-sets/gather.ts';
import { readTemplates } from '../live/read-templates.ts';
import type { KeySets } from '../policy/key-sets.ts';
import type { SourceFile } from '../source/document.ts';

/** What a case may say beside its YAML. */
interface CaseOptions {
  /** The case that this one builds on: its golden holds what differs from there (`golden/README.md`). */
  readonly base?: string;
  readonly workloads?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly flags?: SettingsFlags;
  /** The files count as named one by one, not as found in the case's folder. */
  readonly isNamed?: boolean;
  /** Folder of a user's templates, inside the case. */
  readonly templates?: string;
  /** Files of key sets by issuer, inside the case, as `--jwks` names them; not `*.json`, which are inputs. */
  readonly jwks?: Readonly<Record<string, string>>;
}

/** One folder of `fixtures/ok` or `fixtures/err`, read. */
export interface Fixture {
  readonly name: string;
  readonly files: readonly SourceFile[];
  readonly select: 'all' | readonly WorkloadKey[];
  readonly settings: Settings;
  readonly templates: Templates | undefined;
  readonly keySets: KeySets;
  /** Inputs and configuration, for diagnostics that show source lines. */
  readonly sources: readonly SourceFile[];
  readonly bag: DiagnosticBag;
}

/** Names of the cases in `folder`, sorted. */
export function fixtureNames(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

/** Reads a case: every YAML and JSON file is an input, but for `mesh-config.yaml` and `case.json`. */
export async function readFixture(folder: string, name: string): Promise<Fixture> {
  const root = join(folder, name);
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
  const inputs = names.filter(
    (file) => /\.(ya?ml|json)$/.test(file) && file !== 'mesh-config.yaml' && file !== 'case.json',
  );
  const options: CaseOptions = names.includes('case.json')
    ? JSON.parse(readFileSync(join(root, 'case.json'), 'utf8'))
    : {};
  const files = inputs.map((file): SourceFile => {
    const text = readFileSync(join(root, file), 'utf8');
    return { path: file.replaceAll('\\', '/'), text, ...(options.isNamed ? {} : { isFound: true }) };
  });
  const bag = new DiagnosticBag();
  const meshConfig = names.includes('mesh-config.yaml')
    ? { path: join(root, 'mesh-config.yaml'), isRequired: true }
    : undefined;
  const read = await readSettings({ meshConfig, environment: options.variables ?? {}, flags: options.flags }, bag);
  const isTemplate = options.templates !== undefined;
  reportUnreadBootstrap(read.settings, read.sources, { isCustom: false, isTemplate }, bag);
  const templates =
    options.templates === undefined ? undefined : await readTemplates(join(root, options.templates), bag);
  const keySetFiles = await readKeySetFiles(
    Object.entries(options.jwks ?? {}).map(([issuer, file]) => ({ issuer, path: join(root, file) })),
  );
  const hasTokens = files.some(({ text }) => text.includes('RequestAuthentication'));
  const objects = hasTokens ? createCompiler({ settings: read.settings }).read(files, new DiagnosticBag()) : [];
  // Paths in messages start at the case's folder, as those of its inputs do.
  const named = keySetFiles.map((file) => ({ ...file, path: relative(root, file.path) }));
  const keySets = await createKeySetGatherer(named).gather(objects, bag);
  return {
    name,
    files,
    keySets,
    select: options.workloads?.map(workloadKey) ?? 'all',
    settings: read.settings,
    templates: templates?.value,
    sources: [...files, ...read.sources, ...(templates?.files ?? [])],
    bag,
  };
}

/** Compiles a case; its diagnostics are in its bag. */
export function compileFixture(
  { files, select, settings, templates, keySets, bag }: Fixture,
  delivery?: Delivery,
): Compilation | undefined {
  return bag.hasErrors
    ? undefined
    : createCompiler({ settings, delivery, ...(templates && { templates }) }).compile(files, select, bag, keySets);
}

function workloadKey(text: string): WorkloadKey {
  const [namespace = '', name = ''] = text.split('/');
  return { namespace, name };
}
