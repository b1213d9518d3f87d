import type { AdminClient } from '../../envoy/admin.ts';
import { cleanErrorMessage } from '../../xds/message.ts';

interface ErrorState {
  readonly details?: string;
}

interface ConfigDump {
  readonly configs?: readonly { readonly name?: string; readonly error_state?: ErrorState }[];
}

/** Reasons that Envoy keeps for listeners it refused, one line; empty when it keeps none. */
export async function refusalDetails(admin: AdminClient): Promise<string> {
  try {
    const { body } = await admin.get('/config_dump?resource=dynamic_listeners&mask=name,error_state.details');
    return formatRefusals(JSON.parse(body) as ConfigDump);
  } catch (error) {
    return `(the reason cannot be read: ${(error as Error).message})`;
  }
}

function formatRefusals({ configs = [] }: ConfigDump): string {
  return configs
    .filter(({ error_state }) => error_state?.details)
    .map(({ name, error_state }) => `${name ?? 'listener'}: ${cleanErrorMessage(error_state?.details ?? '')}`)
    .join('; ');
}
