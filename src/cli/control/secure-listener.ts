import type { Environment } from '../../config/environment.ts';
import type { ControlConfig, ServerCertificateConfig } from '../../control/control-config.ts';
import { isServerName, ownNames } from '../../control/server/own-certificate.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { ServeFlags } from './flags.ts';
import { namespaceOf, parsePositive, variable } from './variable-values.ts';

const usualPort = 15_012;

/**
 * The listener with TLS; undefined: there is none. A certificate that we cannot sign is not asked for: without an authority
 * the listener needs one of the operator's, and `UsageError` says so where it was asked for.
 */
export function secureListenerOf(
  flags: ServeFlags,
  environment: Environment,
  hasAuthority: boolean,
): ControlConfig['secure'] {
  // Set and empty is what the specification calls disabled; not set at all takes the usual name.
  if (environment.MESHD_ADDR === '' && flags.listen === undefined) return undefined;
  const certificate = certificateOf(environment, hasAuthority);
  if (certificate === undefined) {
    if (flags.listen !== undefined) {
      throw new UsageError(
        '--listen needs a certificate: ENABLE_CA_SERVER is false, and PILOT_CERT_PROVIDER names no folder',
      );
    }
    return undefined;
  }
  return {
    address: flags.listen ?? { host: '', port: usualPort },
    certificate,
    maxMessageBytes: variable(environment, 'MESH_GPRC_MAXRECVMSGSIZE', parsePositive),
    maxStreams: variable(environment, 'MESH_GPRC_MAXSTREAMS', parsePositive),
  };
}

function certificateOf(environment: Environment, hasAuthority: boolean): ServerCertificateConfig | undefined {
  const { PILOT_CERT_PROVIDER, PILOT_CERT_DIR: folder = '' } = environment;
  const provider = PILOT_CERT_PROVIDER || 'meshd';
  if (provider === 'kubernetes') {
    throw new UsageError('not supported: PILOT_CERT_PROVIDER=kubernetes, whose signing API clusters have removed');
  }
  if (provider !== 'meshd') {
    if (provider === 'custom' && folder === '') throw new UsageError('PILOT_CERT_PROVIDER=custom needs PILOT_CERT_DIR');
    return { folder: folder || provider };
  }
  if (!hasAuthority) return undefined;
  const names = ownNames({
    address: environment.MESHD_ADDR ?? '',
    customHosts: environment.MESHD_CUSTOM_HOST ?? '',
    namespace: namespaceOf(environment),
  });
  const wrong = names.find((name) => !isServerName(name));
  if (wrong !== undefined) {
    throw new UsageError(`"${wrong}" is no name for a server certificate (MESHD_ADDR, MESHD_CUSTOM_HOST, NAMESPACE)`);
  }
  return { names, outputFolder: folder || undefined };
}
