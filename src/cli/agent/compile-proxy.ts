import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CompileProxy, ProxyFiles } from '../../agent/proxy-files.ts';
import type { Compilation } from '../../compiler/compilation.ts';
import { type Compiler, createCompiler } from '../../compiler/compile.ts';
import { routeFileName } from '../../compiler/render/file-source.ts';
import { createLocator, originsJson } from '../../compiler/render/origins-json.ts';
import type { Resource } from '../../compiler/render/resource.ts';
import type { TemplateFile } from '../../compiler/render/template-file.ts';
import { loadTemplates, type Templates } from '../../compiler/render/templates.ts';
import type { SourceFile } from '../../compiler/source/document.ts';
import { readSources } from '../../compiler/source/read.ts';
import { readSettings, type SettingsOptions } from '../../config/read.ts';
import type { Settings } from '../../config/settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { format } from '../../diagnostics/format.ts';
import { contentVersion } from '../../xds/resource.ts';
import { UsageError } from './refuse.ts';
import { type ProxyIdentity, withNodeId } from './workload.ts';

/** Where the agent's inputs are. */
export interface ProxyInputs {
  readonly settings: SettingsOptions;
  /** Of `--policies`; `configSources` of the mesh configuration add theirs. */
  readonly policies: readonly string[];
  /** A bootstrap template, or a folder of templates. */
  readonly templateFile: string | undefined;
  readonly identity: ProxyIdentity;
}

/** The one seam between the agent and the compiler: the agent asks for files, and knows nothing else of it. */
export function createCompileProxy(inputs: ProxyInputs): CompileProxy {
  const compilerFor = rememberCompiler();
  return async () => {
    const bag = new DiagnosticBag();
    const { settings, sources } = await readSettings(inputs.settings, bag);
    const templates = await readTemplates(inputs.templateFile, bag);
    const texts: SourceFile[] = [...sources, ...templates.files];
    const explain = (): string => format(bag.all, texts, 'text').trimEnd();
    if (bag.hasErrors) return { problems: [explain()] };

    const files = await readSources([...inputs.policies, ...folderSources(settings)], bag);
    texts.push(...files);
    if (bag.hasErrors) return { problems: [explain()] };
    const compilation = compilerFor(settings, templates.templates).compile(files, [inputs.identity], bag);
    if (compilation === undefined) return { problems: [explain()] };
    const written = withNodeId(filesOf(compilation, texts), inputs.identity);
    return { files: written, warnings: bag.all.length === 0 ? [] : [explain()] };
  };
}

/** Folders of `configSources`; a control plane is refused by name. */
export function folderSources({ configSources }: Settings): readonly string[] {
  return configSources.map((address) => {
    if (address.startsWith('fs://')) return address.slice('fs://'.length);
    throw new UsageError(`not supported yet: configSources "${address}" (fs:///path is)`);
  });
}

/** A compiler remembers what it compiled; another one is made only when settings or templates differ. */
function rememberCompiler(): (settings: Settings, templates: Templates | undefined) => Compiler {
  let made: { readonly key: string; readonly compiler: Compiler } | undefined;
  return (settings, templates) => {
    const key = JSON.stringify([settings, templates?.digest]);
    if (made?.key !== key) {
      made = { key, compiler: createCompiler({ settings, ...(templates === undefined ? {} : { templates }) }) };
    }
    return made.compiler;
  };
}

async function readTemplates(
  path: string | undefined,
  bag: DiagnosticBag,
): Promise<{ readonly templates: Templates | undefined; readonly files: readonly TemplateFile[] }> {
  if (path === undefined) return { templates: undefined, files: [] };
  const isFolder = (await stat(path)).isDirectory();
  const names = isFolder
    ? (await readdir(path, { recursive: true })).filter((name) => name.endsWith('.hbs')).sort()
    : [];
  const files: TemplateFile[] = isFolder
    ? await Promise.all(
        names.map(async (name) => ({ name, path: join(path, name), text: await readFile(join(path, name), 'utf8') })),
      )
    : [{ name: 'bootstrap.json.hbs', path, text: await readFile(path, 'utf8') }];
  return { templates: await loadTemplates(files, bag), files };
}

function filesOf({ configs, mesh }: Compilation, texts: readonly SourceFile[]): ProxyFiles {
  const config = configs[0];
  if (config === undefined) throw new Error('a compilation without errors has the selected workload');
  const pretty = (json: object): string => `${JSON.stringify(json, null, 2)}\n`;
  return {
    bootstrap: `${config.bootstrap.text}\n`,
    clusters: discoveryResponse(config.clusters),
    listeners: discoveryResponse(config.listeners),
    routes: new Map(config.routes.map((route) => [routeFileName(route.name), discoveryResponse([route])])),
    beside: new Map([
      ['origins.json', pretty(originsJson(config, createLocator(texts)))],
      ['mesh.json', pretty(mesh)],
    ]),
  };
}

/** A DiscoveryResponse as a file; its version is the digest of its resources. */
function discoveryResponse(resources: readonly Resource[]): string {
  const version = contentVersion(...resources.map(({ text }) => text));
  const list = resources.map(({ text }) => `    ${text.replaceAll('\n', '\n    ')}`).join(',\n');
  return `{\n  "version_info": "${version}",\n  "resources": [${list === '' ? '' : `\n${list}\n  `}]\n}\n`;
}
