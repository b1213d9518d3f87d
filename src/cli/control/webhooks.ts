import type { Environment } from '../../config/environment.ts';
import { parseBoolean } from '../../config/variable.ts';
import type { ControlConfig } from '../../control/control-config.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { ServeFlags } from './flags.ts';
import { namespaceOf, variable } from './variable-values.ts';

const usualValidator = 'mesh-validator';
const usualInjector = 'mesh-sidecar-injector';

/** What a cluster asks before it stores objects; undefined: nothing. `UsageError` where nobody could ask it. */
export function webhooksOf(
  { webhookAddr: address, validationWebhook, injectionTemplate, revision, kubernetes }: ServeFlags,
  environment: Environment,
  { secure, trustDomain, settings }: Pick<ControlConfig, 'secure' | 'trustDomain' | 'settings'>,
): ControlConfig['webhooks'] {
  if (address === undefined) {
    if (validationWebhook !== undefined) throw new UsageError('--validationWebhook needs --webhookAddr');
    if (injectionTemplate !== undefined) throw new UsageError('--injectionTemplate needs --webhookAddr');
    if ((environment.INJECTION_WEBHOOK_CONFIG_NAME ?? usualInjector) !== usualInjector)
      throw new UsageError('INJECTION_WEBHOOK_CONFIG_NAME has an effect with --webhookAddr alone');
    if (revision !== undefined) throw new UsageError('--revision needs --webhookAddr');
    return undefined;
  }
  if (kubernetes === undefined) throw new UsageError('--webhookAddr needs --kubernetes');
  if (secure === undefined)
    throw new UsageError('--webhookAddr needs the certificate of the TLS listener, and there is none');
  const { INJECTION_WEBHOOK_CONFIG_NAME: mutating = usualInjector } = environment;
  const names = { mutating, validating: validationWebhook ?? usualValidator };
  const injection = { meshConfig: settings?.meshConfig, templates: injectionTemplate ?? [], trustDomain };
  return {
    ...{ address, namespace: namespaceOf(environment), revision: revision ?? 'default', names, injection },
    skipsGatewayApi: !variable(environment, 'PILOT_ENABLED_SERVICE_APIS', parseBoolean),
  };
}
