import { createCompiler } from '../compiler/compile.ts';
import { reportNoProxy } from '../compiler/no-proxy.ts';
import { createLocator, type Locate, originsJson } from '../compiler/render/origins-json.ts';
import type { EnvoyConfig, Resource } from '../compiler/render/resource.ts';
import { loadTemplates } from '../compiler/render/templates.ts';
import { parseUserBootstrap } from '../compiler/render/user-bootstrap.ts';
import { maskText } from '../config/redact.ts';
import { reportUnreadBootstrap } from '../config/unread-bootstrap.ts';
import { placeDiagnostics } from '../diagnostics/placed.ts';
import { createKeySetGatherer } from '../live/key-sets/gather.ts';
import type { SourceFile } from '../source/document.ts';
import { type CompileInput, checkTexts } from './input.ts';
import { readInput } from './read-input.ts';
import type { CompileResult, Message, ProxyConfiguration } from './result.ts';

/**
 * Compiles policies to Envoy configuration, as `meshpol compile` does, from texts alone: no file, no network, no
 * environment. A mistake in a text is a diagnostic; a TypeError is thrown for input that is not of its type.
 */
export async function compile(input: CompileInput): Promise<CompileResult> {
  checkTexts('compile', input);
  const { settings, sources, bag } = readInput(input);
  const templates = input.templates && (await loadTemplates(input.templates.map(templateOf), bag));
  const isTemplate = input.templates?.some(({ name }) => name === 'bootstrap.json.hbs') ?? false;
  reportUnreadBootstrap(settings, sources, { isCustom: input.bootstrap?.custom !== undefined, isTemplate }, bag);
  const bootstrap = parseUserBootstrap(input.bootstrap ?? {}, bag);
  const compiler = createCompiler({ settings, bootstrap, delivery: input.delivery, ...(templates && { templates }) });
  const objects = compiler.read(input.files, bag);
  const keySets = await createKeySetGatherer(input.keySets).gather(objects, bag);
  const select = input.workloads ?? 'all';
  const compilation = bag.hasErrors ? undefined : compiler.compileObjects(objects, select, bag, keySets);
  if (compilation !== undefined) reportNoProxy(compilation, bag);
  const sound = bag.hasErrors ? undefined : compilation;
  const locate = createLocator(input.files);
  const shown = [...input.files, ...sources, ...(input.templates ?? []), ...shownBootstraps(input)];
  return {
    proxies: sound?.configs.map((config) => configuration(config, locate)),
    mesh: sound?.mesh,
    diagnostics: placeDiagnostics(bag.all, shown),
    fileCount: shown.length,
  };
}

/** They may hold secrets, which no diagnostic shows. */
function shownBootstraps({ bootstrap = {} }: CompileInput): readonly SourceFile[] {
  const given = [bootstrap.custom, bootstrap.override].filter((text) => text !== undefined);
  return given.map(({ path, text }) => ({ path, text: maskText(text) }));
}

/** A bootstrap template whose path says YAML makes YAML, as with `--templateFile`. */
function templateOf(template: NonNullable<CompileInput['templates']>[number]) {
  const isYaml = template.name === 'bootstrap.json.hbs' && /\.ya?ml(\.(tmpl|hbs))?$/.test(template.path);
  return { ...template, isYaml };
}

function configuration(config: EnvoyConfig, locate: Locate): ProxyConfiguration {
  const { namespace, workload, bootstrap, listeners, clusters, routes, endpoints } = config;
  const messages = (resources: readonly Resource[]): readonly Message[] => resources.map(({ json }) => json);
  return {
    namespace,
    workload,
    bootstrap: bootstrap.json,
    listeners: messages(listeners),
    clusters: messages(clusters),
    routes: messages(routes),
    endpoints: messages(endpoints),
    origins: originsJson(config, locate),
  };
}
