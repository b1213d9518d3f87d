import type { AgentConfig } from '../../agent/agent-config.ts';
import type { CompileProxy, ProxyFiles } from '../../agent/reload/proxy-files.ts';
import type { Compilation } from '../../compiler/compilation.ts';
import { type Compiler, createCompiler } from '../../compiler/compile.ts';
import type { MeshFigures } from '../../compiler/mesh-figures.ts';
import type { Templates } from '../../compiler/render/templates.ts';
import type { SourceFile } from '../../compiler/source/document.ts';
import { readSources } from '../../compiler/source/read.ts';
import { readSettings, type SettingsOptions } from '../../config/read.ts';
import type { Settings } from '../../config/settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { format } from '../../diagnostics/format.ts';
import { UsageError } from '../failure.ts';
import { createKeySetGatherer } from '../key-sets/gather.ts';
import type { FetchedKeySets } from '../key-sets/remote.ts';
import { planFiles, proxyFolder } from '../output/plan.ts';
import { readTemplates } from '../read-templates.ts';
import { gatewaySecretsOf } from './gateway-secrets.ts';
import { type ProxyIdentity, withNodeId } from './workload.ts';

const routesFolder = 'routes/';

/** Where the agent's inputs are. */
export interface ProxyInputs {
  readonly settings: SettingsOptions;
  /** Of `--policies`; `configSources` of the mesh configuration add theirs. */
  readonly policies: readonly string[];
  /** A bootstrap template, or a folder of templates. */
  readonly templateFile: string | undefined;
  readonly identity: ProxyIdentity;
  readonly role: AgentConfig['role'];
  /** Name of the Secret that stands in for those that gateway servers name and that are not there. */
  readonly fallbackSecret: string;
  /** Keys that do not stand in a rule are fetched. */
  readonly keySets: FetchedKeySets;
  /** Hears what each compilation that gave a configuration counted. */
  readonly onFigures?: (figures: MeshFigures) => void;
}

/** The one seam between the agent and the compiler: the agent asks for files, and knows nothing else of it. */
export function createCompileProxy(inputs: ProxyInputs): CompileProxy {
  const compilerFor = rememberCompiler();
  const gatherer = createKeySetGatherer([], inputs.keySets);
  return async () => {
    const bag = new DiagnosticBag();
    const { settings, sources } = await readSettings(inputs.settings, bag);
    const templates = inputs.templateFile === undefined ? undefined : await readTemplates(inputs.templateFile, bag);
    const texts: SourceFile[] = [...sources, ...(templates?.files ?? [])];
    const explain = (): string => format(bag.all, texts, 'text').trimEnd();
    if (bag.hasErrors) return { problems: [explain()] };

    const files = await readSources([...inputs.policies, ...folderSources(settings)], bag);
    texts.push(...files);
    if (bag.hasErrors) return { problems: [explain()] };
    const compiler = compilerFor(settings, templates?.value);
    const objects = compiler.read(files, bag);
    const keys = await gatherer.gather(objects, bag);
    if (bag.hasErrors) return { problems: [explain()] };
    const compileObjects = (told: DiagnosticBag): Compilation | undefined =>
      compiler.compileObjects(objects, [inputs.identity], told, keys);
    inputs.keySets.renew();
    // Which keys this proxy needs shows only when its policies are compiled; the second time costs little.
    if (objects.some(({ kind }) => kind === 'RequestAuthentication')) compileObjects(new DiagnosticBag());
    await inputs.keySets.settle();
    const compilation = compileObjects(bag);
    if (compilation === undefined) return { problems: [explain()] };
    const fault = roleFault(compilation, inputs);
    if (fault !== undefined) return { problems: [fault] };
    const written = withNodeId(filesOf(compilation, texts), inputs.identity);
    const secrets = gatewaySecretsOf(written.listeners, objects, {
      namespace: inputs.identity.namespace,
      fallback: inputs.fallbackSecret,
    });
    inputs.onFigures?.(compilation.figures);
    return { files: { ...written, secrets }, warnings: bag.all.length === 0 ? [] : [explain()] };
  };
}

/** Why this proxy cannot run as it was told to: a gateway's listeners are not a sidecar's. */
function roleFault({ mesh }: Compilation, { identity, role }: ProxyInputs): string | undefined {
  const { namespace, name } = identity;
  const workloads = mesh.workloads as readonly { readonly [field in 'namespace' | 'name' | 'role']: string }[];
  const own = workloads.find((workload) => workload.namespace === namespace && workload.name === name);
  if (own === undefined || own.role === role) return undefined;
  return `workload "${namespace}/${name}" is a ${own.role} in the inputs, not a ${role}`;
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

/** The same files as `meshpol compile -o` writes, without the proxy's folder in their names. */
function filesOf(compilation: Compilation, texts: readonly SourceFile[]): ProxyFiles {
  const config = compilation.configs[0];
  if (config === undefined) throw new Error('a compilation without errors has the selected workload');
  const folder = `${proxyFolder(config)}/`;
  const files = new Map(
    [...planFiles(compilation, { files: texts })].map(({ path, text }) => [path.replace(folder, ''), text]),
  );
  const take = (name: string): string => files.get(name) ?? '';
  const routes = [...files].filter(([name]) => name.startsWith(routesFolder));
  return {
    bootstrap: take('bootstrap.json'),
    clusters: take('clusters.json'),
    listeners: take('listeners.json'),
    routes: new Map(routes.map(([name, text]) => [name.slice(routesFolder.length), text])),
    beside: new Map(['origins.json', 'mesh.json'].map((name) => [name, take(name)])),
  };
}
