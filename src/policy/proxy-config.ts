import type { MeshObject, WorkloadSelector } from './object.ts';

/** How proxies are started; a field that is absent is left to the wider scope. */
export interface ProxyConfig extends MeshObject<'ProxyConfig'> {
  readonly spec: {
    readonly selector?: WorkloadSelector;
    /** 0: a thread a processor. */
    readonly concurrency?: number;
    readonly environmentVariables?: Readonly<Record<string, string>>;
    /** For injection alone. */
    readonly image?: { readonly imageType?: string };
  };
}
