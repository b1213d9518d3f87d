import { join } from 'node:path';
import type { AgentSettings } from '../../config/agent-settings.ts';
import type { ProxySettings } from '../../config/settings.ts';

/** Which bootstrap Envoy gets. */
export interface BootstrapChoice {
  /** A bootstrap template, or a folder of templates. */
  readonly templateFile: string | undefined;
  /** Laid over whichever it is. */
  readonly override: string | undefined;
  /** Files whose change is looked at; it takes effect when the agent starts again. */
  readonly watched: readonly string[];
  /** Envoy judges what is not ours alone before it is started with it. */
  readonly mustValidate: boolean;
  /** Settings that name a template which is not used, for a message; empty when there is none. */
  readonly unused: string;
}

/** `customConfigFile`, else MESH_BOOTSTRAP, `--templateFile` and `proxyBootstrapTemplatePath` in this order, as in Istio. */
export function chooseBootstrap(
  agent: Pick<AgentSettings, 'bootstrapTemplate' | 'bootstrapOverride'>,
  templateFlag: string | undefined,
  proxy: Pick<ProxySettings, 'customConfigFile' | 'bootstrapTemplatePath'>,
  podInfo: string,
): BootstrapChoice {
  const templates = [
    ['MESH_BOOTSTRAP', agent.bootstrapTemplate],
    ['--templateFile', templateFlag],
    ['proxyBootstrapTemplatePath', proxy.bootstrapTemplatePath],
  ] as const;
  const named = templates.filter(([, path]) => path);
  const customFile = proxy.customConfigFile || undefined;
  const templateFile = customFile === undefined ? named[0]?.[1] : undefined;
  const override = agent.bootstrapOverride;
  const files = [templateFile, customFile, override].filter((path) => path !== undefined);
  return {
    templateFile,
    override,
    watched: [...files, join(podInfo, 'labels')],
    mustValidate: files.length > 0,
    unused: named
      .slice(customFile === undefined ? 1 : 0)
      .map(([setting]) => setting)
      .join(', '),
  };
}
