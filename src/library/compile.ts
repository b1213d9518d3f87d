import { createCompiler } from '../compiler/compile.ts';
import { reportNoProxy } from '../compiler/no-proxy.ts';
import { createLocator, type Locate, originsJson } from '../compiler/render/origins-json.ts';
import type { EnvoyConfig, Resource } from '../compiler/render/resource.ts';
import { loadTemplates } from '../compiler/render/templates.ts';
import { settingsOf } from '../config/settings-of.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { placeDiagnostics } from '../diagnostics/placed.ts';
import { createKeySetGatherer } from '../live/key-sets/gather.ts';
import { reportEmpty } from '../source/empty-files.ts';
import { type CompileInput, checkTexts } from './input.ts';
import type { CompileResult, Message, ProxyConfiguration } from './result.ts';

/**
 * Compiles policies to Envoy configuration, as `meshpol compile` does, from texts alone: no file, no network, no
 * environment. A mistake in a text is a diagnostic; a TypeError is thrown for input that is not of its type.
 */
export async function compile(input: CompileInput): Promise<CompileResult> {
  checkTexts(input);
  const { files, meshConfig, variables = {}, trustDomain, rootNamespace } = input;
  const bag = new DiagnosticBag();
  reportEmpty(files, bag);
  const flags = { trustDomain, rootNamespace };
  const { settings, sources } = settingsOf({ meshConfig, environment: variables, flags }, bag);
  const templates = input.templates && (await loadTemplates(input.templates.map(templateOf), bag));
  const compiler = createCompiler({ settings, ...(templates && { templates }) });
  // With errors so far the compiler still looks at every object, so that all mistakes are told at once.
  const objects = compiler.read(files, bag);
  const keySets = await createKeySetGatherer(input.keySets).gather(objects, bag);
  const compilation = bag.hasErrors
    ? undefined
    : compiler.compileObjects(objects, input.workloads ?? 'all', bag, keySets);
  if (compilation !== undefined) reportNoProxy(compilation, bag);
  const locate = createLocator(files);
  const shown = [...files, ...sources, ...(input.templates ?? [])];
  return {
    proxies: bag.hasErrors ? undefined : compilation?.configs.map((config) => configuration(config, locate)),
    diagnostics: placeDiagnostics(bag.all, shown),
    fileCount: shown.length,
  };
}

/** A bootstrap template whose path says YAML makes YAML, as with `--templateFile`. */
function templateOf(template: NonNullable<CompileInput['templates']>[number]) {
  const isYaml = template.name === 'bootstrap.json.hbs' && /\.ya?ml(\.(tmpl|hbs))?$/.test(template.path);
  return { ...template, isYaml };
}

function configuration(config: EnvoyConfig, locate: Locate): ProxyConfiguration {
  const { namespace, workload, bootstrap, listeners, clusters, routes } = config;
  const messages = (resources: readonly Resource[]): readonly Message[] => resources.map(({ json }) => json);
  return {
    namespace,
    workload,
    bootstrap: bootstrap.json,
    listeners: messages(listeners),
    clusters: messages(clusters),
    routes: messages(routes),
    origins: { ...originsJson(config, locate) },
  };
}
