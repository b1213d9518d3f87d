import { agentVariables } from './agent-variables.ts';
import { compilerVariables } from './compiler-variables.ts';
import { controlPlaneVariables } from './control-plane-variables.ts';
import type { Variable } from './variable.ts';

/** Every variable of the specification's table: who reads it, and the setting it becomes. */
export const variables: readonly Variable[] = [
  ...agentVariables,
  ...compilerVariables,
  ...controlPlaneVariables,
  {
    name: 'DNS_CAPTURE',
    type: 'string',
    default: '',
    owner: 'redirection',
    effect:
      'if not empty, DNS queries over UDP are redirected to port 15013 of loopback, where a DNS server of your own must listen',
  },
  {
    name: 'PROXY_USER',
    type: 'string',
    default: 'mesh-proxy',
    owner: 'redirection',
    effect: 'name of the user that the proxy runs as',
  },
];
