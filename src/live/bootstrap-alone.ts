import { bootstrapAlone } from '../compiler/bootstrap-alone.ts';
import type { SettingsOptions } from '../config/read.ts';
import type { Settings } from '../config/settings.ts';
import type { CompileProxy } from '../contracts/compile-result.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { format } from '../diagnostics/format.ts';
import { ResourceFile } from '../envoy/api/resource-file.ts';
import type { SourceFile } from '../source/document.ts';
import { readHostFacts } from './host-facts.ts';
import { type ProxyIdentity, withNodeId } from './node-id.ts';

export interface BootstrapAloneOptions {
  readonly settings: Settings;
  readonly sources: Pick<SettingsOptions, 'environment' | 'podInfo'>;
  readonly identity: ProxyIdentity;
  readonly serviceAccount: string | undefined;
  readonly role: 'sidecar' | 'router';
  /** Asked for when the identity names no address. */
  readonly ownAddresses: () => Promise<readonly string[]>;
  /** Of the container; undefined without a limit. */
  readonly memoryLimitBytes: number | undefined;
  readonly descriptorLimit: number | undefined;
}

/** Gives a bootstrap, and no resources: those come from a control plane. Nothing of the compiler is needed for that. */
export function createBootstrapAlone(options: BootstrapAloneOptions): CompileProxy {
  const { settings, identity, role, memoryLimitBytes, descriptorLimit, serviceAccount = '' } = options;
  const { environment, podInfo } = options.sources;
  return async () => {
    const addresses = identity.ip === undefined ? await options.ownAddresses() : [identity.ip];
    const bag = new DiagnosticBag();
    const texts: SourceFile[] = [];
    const machine = { environment, podInfo, memoryLimitBytes, descriptorLimit, addresses };
    const host = await readHostFacts(machine, settings, bag, texts);
    const told = bag.all.length === 0 ? [] : [format(bag.all, texts, 'text').trimEnd()];
    if (bag.hasErrors) return { problems: told };
    const { namespace, name } = identity;
    const bootstrap = bootstrapAlone({ namespace, name, serviceAccount, role, addresses }, settings, host);
    const nothing = {
      clusters: new ResourceFile(),
      listeners: new ResourceFile(),
      routes: new Map(),
      beside: new Map(),
    };
    return { files: withNodeId({ bootstrap, ...nothing }, identity), warnings: told };
  };
}
