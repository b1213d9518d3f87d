import { Lease } from '../../kubernetes/lease.ts';
import type { PlainLog } from '../../lib/log.ts';
import type { ServingNames } from '../../live/others-objects.ts';
import type { CertificateAuthority } from '../ca/authority.ts';
import type { Replica } from '../leader/join-replicas.ts';
import { Leadership } from '../leader/leadership.ts';
import type { Address } from '../server/address.ts';
import type { CertificateSource } from '../server/certificate-provider.ts';
import { AdmissionThread } from './admission-thread.ts';
import { followInjectionInputs, type InjectionConfig } from './injection-inputs.ts';
import { NamespaceLabels } from './namespace-labels.ts';
import { ServingLookUps } from './serving-objects.ts';
import { WebhookKeeper } from './webhook-keeper.ts';
import { type AdmissionObserver, startWebhookServer } from './webhook-server.ts';

export interface WebhookConfig {
  readonly address: Address;
  /** NAMESPACE */
  readonly namespace: string;
  /** Of the control plane: each elects by itself who keeps its configurations. */
  readonly revision: string;
  /** INJECTION_WEBHOOK_CONFIG_NAME and VALIDATION_WEBHOOK_CONFIG_NAME: the configurations that we write to; empty: none. */
  readonly names: { readonly mutating: string; readonly validating: string };
  readonly injection: InjectionConfig;
  /** Objects of the Gateway API are not read (PILOT_ENABLED_SERVICE_APIS). */
  readonly skipsGatewayApi?: boolean | undefined;
  /** Path of the thread's program; absent: the one beside ours. */
  readonly program?: string;
}

export interface WebhookParts {
  readonly certificates: CertificateSource;
  /** Who signs those; undefined: not we. */
  readonly signer: CertificateAuthority | undefined;
  readonly replica: Pick<Replica, 'api' | 'identity'>;
  readonly observe: AdmissionObserver;
  readonly log: PlainLog;
}

function leaseNameOf(revision: string): string {
  return revision === 'default' ? 'meshd-webhooks' : `meshd-webhooks-${revision}`;
}

/** Serves the webhooks, and has one replica of the revision keep their configurations. */
export async function startWebhooks(
  { address, namespace, revision, names, injection, skipsGatewayApi, program }: WebhookConfig,
  { certificates, signer, replica, observe, log }: WebhookParts,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const { api, identity } = replica;
  const labelsOf = (name: string) => namespaces.of(name);
  const data = { revision, skipsGatewayApi };
  const lookUps = new ServingLookUps(api, { log });
  const servingOf = (objects: ServingNames) => lookUps.of(objects);
  const asked = { labelsOf, servingOf };
  const thread = new AdmissionThread({ log, ...data, ...asked, ...(program !== undefined && { program }) });
  const namespaces = new NamespaceLabels(api, thread);
  const inputs = await followInjectionInputs(injection, {
    ...{ revision, ownNamespace: namespace, api, log },
    use: (settings) => thread.use(settings),
  });
  const closeOwn = async (): Promise<void> => {
    inputs.close();
    namespaces.close();
    await thread.close();
  };
  try {
    const server = await startWebhookServer({ address, certificates, thread, observe, log });
    const roots = (): string | undefined => signer?.signer.roots;
    const keeper = new WebhookKeeper({ api, namespace, revision, names, roots, log });
    signer?.onChange(() => keeper.changed());
    const lease = new Lease(api, { namespace, name: leaseNameOf(revision) });
    const leadership = new Leadership({ lease, identity, log });
    leadership.whileLeading('configurations of webhooks', (term) => keeper.run(term));
    leadership.start();
    log.info('serving webhooks', { port: server.port });
    return {
      port: server.port,
      close: async () => {
        await leadership.close();
        await server.close();
        await closeOwn();
      },
    };
  } catch (error) {
    await closeOwn();
    throw error;
  }
}
