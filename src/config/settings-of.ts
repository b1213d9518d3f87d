import type { DiagnosticBag } from '../diagnostics/bag.ts';
import { lineAndColumn, lineStarts } from '../diagnostics/span.ts';
import type { PolicyDocument, SourceFile } from '../source/document.ts';
import { applyAnnotations, configAnnotation, withOurNames } from './annotations.ts';
import { checkSettings } from './check.ts';
import { SettingsDraft } from './draft.ts';
import { applyEnvironment, type Environment } from './environment.ts';
import { applyMeshConfig } from './mesh-config.ts';
import { parsePodInfo } from './pod-info.ts';
import { applyProxyConfig } from './proxy-config.ts';
import { readConfiguration } from './read-configuration.ts';
import { maskPodInfo, maskText } from './redact.ts';
import type { SettingOrigin, Settings } from './settings.ts';
import { reportUnusedSettings } from './unused-settings.ts';

/** Values given on the command line; undefined when the flag is absent. */
export interface SettingsFlags {
  readonly trustDomain?: string | undefined;
  readonly rootNamespace?: string | undefined;
  readonly concurrency?: number | undefined;
  readonly serviceCluster?: string | undefined;
  readonly outlierLogPath?: string | undefined;
  readonly configPath?: string | undefined;
  /** Of the token service; 0 or undefined: none. */
  readonly stsPort?: number | undefined;
}

/** Every text that settings come from, read. */
export interface SettingsTexts {
  /** The mesh configuration. */
  readonly meshConfig?: SourceFile | undefined;
  readonly environment: Environment;
  readonly flags?: SettingsFlags | undefined;
  /** Annotation `proxy.mesh.io/config` of the pod that the proxy runs in; over the one of `podAnnotations`. */
  readonly annotation?: string | undefined;
  /** The annotations of the pod as the kubelet writes them to a file. */
  readonly podAnnotations?: SourceFile | undefined;
}

export interface ReadSettings {
  readonly settings: Settings;
  /** What was read, for diagnostics that point into it; secrets are masked. */
  readonly sources: readonly SourceFile[];
}

/**
 * Settings from their layers, the later over the earlier: built-in defaults, mesh configuration, PROXY_CONFIG, variables,
 * pod annotations, flags. Mistakes go to the bag.
 */
export function settingsOf(texts: SettingsTexts, bag: DiagnosticBag): ReadSettings {
  const { meshConfig, environment, podAnnotations } = texts;
  const draft = new SettingsDraft();
  const sources: SourceFile[] = [];
  const layer = (file: SourceFile, kind: 'MeshConfig' | 'ProxyConfig', source: SettingOrigin['source']): void => {
    sources.push({ path: file.path, text: maskText(file.text) });
    const document = readConfiguration(file, kind, bag);
    if (document === undefined) return;
    reportUnusedSettings(document, kind, bag);
    if (kind === 'MeshConfig') applyMeshConfig(draft, document.value, (path) => originAt(document, file, path, source));
    else applyProxyConfig(draft, document.value, (field) => originAt(document, file, [field], source));
  };

  if (meshConfig !== undefined) layer(meshConfig, 'MeshConfig', 'file');
  const variable = environment.PROXY_CONFIG;
  if (variable) layer({ path: '$PROXY_CONFIG', text: variable }, 'ProxyConfig', 'variable');
  // A variable that names one setting says more than one that holds them all.
  applyEnvironment(draft, environment, bag);
  if (podAnnotations !== undefined) {
    sources.push({ path: podAnnotations.path, text: maskPodInfo(podAnnotations.text) });
  }
  // The pod's annotations under our names for them.
  const annotations = podAnnotations === undefined ? {} : withOurNames(parsePodInfo(podAnnotations, bag));
  const config = texts.annotation ?? annotations[configAnnotation];
  if (config) layer({ path: `annotation ${configAnnotation}`, text: config }, 'ProxyConfig', 'annotation');
  applyAnnotations(draft, annotations, bag);
  applyFlags(draft, texts.flags ?? {});
  const settings = draft.finish();
  checkSettings(settings, bag);
  return { settings, sources };
}

function originAt(
  document: PolicyDocument,
  file: SourceFile,
  path: readonly string[],
  source: SettingOrigin['source'],
): SettingOrigin {
  return {
    source,
    // Few are asked for, and a position may take another reading of the text.
    get detail() {
      const { line } = lineAndColumn(lineStarts(file.text), document.spanOf(path, 'key').start);
      return `${file.path}:${line}`;
    },
  };
}

function applyFlags(draft: SettingsDraft, flags: SettingsFlags): void {
  const origin = (flag: string): SettingOrigin => ({ source: 'flag', detail: flag });
  if (flags.trustDomain) draft.set('trustDomain', flags.trustDomain, origin('--trust-domain'));
  if (flags.rootNamespace) draft.set('rootNamespace', flags.rootNamespace, origin('--root-namespace'));
  if (flags.concurrency) draft.setProxy('concurrency', flags.concurrency, origin('--concurrency'));
  if (flags.serviceCluster) draft.setProxy('serviceCluster', flags.serviceCluster, origin('--serviceCluster'));
  if (flags.outlierLogPath) draft.setProxy('outlierLogPath', flags.outlierLogPath, origin('--outlierLogPath'));
  if (flags.configPath) draft.setProxy('configPath', flags.configPath, origin('--configPath'));
  if (flags.stsPort) draft.setProxy('tokenServicePort', flags.stsPort, origin('--stsPort'));
}
