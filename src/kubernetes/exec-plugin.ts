import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { ClusterAccess, ExecPlugin } from './cluster-access.ts';
import { KubernetesError } from './kubernetes-error.ts';

/** What a plugin gave. */
export interface ExecCredential {
  readonly token: string | undefined;
  /** PEM. */
  readonly certificate: { readonly chain: string; readonly key: string } | undefined;
  /** Milliseconds since 1970; undefined: good until the server refuses it. */
  readonly expiresAt: number | undefined;
}

const deadlineMs = 60_000;
/** Tokens and certificates are shorter. */
const mostBytes = 1 << 20;
/** A process that the plugin leaves behind may keep its output open. */
const afterExitMs = 1_000;

/**
 * Runs a credential plugin. Its standard error is part of the error message; its standard output, which has credentials,
 * never is.
 */
export async function runPlugin(
  plugin: ExecPlugin,
  access: ClusterAccess,
  roots: string | undefined,
): Promise<ExecCredential> {
  const info = {
    apiVersion: plugin.apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...clusterOf(plugin, access, roots) },
  };
  const child = spawn(plugin.command, plugin.args, {
    env: { ...process.env, ...plugin.environment, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: deadlineMs,
    killSignal: 'SIGKILL',
  });
  let isTooMuch = false;
  const tooMuch = (): void => {
    isTooMuch = true;
    child.kill('SIGKILL');
  };
  const [outputNow, wordsNow] = [collect(child.stdout, tooMuch), collect(child.stderr, tooMuch)];
  const problem = await new Promise<string>((resolve) => {
    child.on('error', (error: NodeJS.ErrnoException) => resolve(`it cannot be started (${error.code})`));
    child.on('exit', () =>
      setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, afterExitMs).unref(),
    );
    child.on('close', (code, signal) => {
      if (isTooMuch) resolve(`it wrote more than ${mostBytes} bytes`);
      else if (signal === 'SIGKILL') resolve(`it did not end within ${deadlineMs / 1000} seconds`);
      else resolve(code === 0 ? '' : `it ended with ${code ?? signal}`);
    });
  });
  const [output, words] = [outputNow(), wordsNow()];
  if (problem !== '')
    return refuse(plugin, [problem, words.trim().slice(-500), plugin.installHint].filter(Boolean).join(': '));
  return credentialOf(output, plugin);
}

/** Gives what a stream has had so far. */
function collect(stream: Readable, tooMuch: () => void): () => string {
  const parts: Buffer[] = [];
  let length = 0;
  stream.on('data', (part: Buffer) => {
    length += part.length;
    if (length > mostBytes) tooMuch();
    else parts.push(part);
  });
  return () => Buffer.concat(parts).toString();
}

function clusterOf(
  plugin: ExecPlugin,
  { server, serverName, isUnverified, proxy }: ClusterAccess,
  roots: string | undefined,
): object {
  if (!plugin.wantsCluster) return {};
  return {
    cluster: {
      server: server.href,
      ...(serverName !== undefined && { 'tls-server-name': serverName }),
      ...(isUnverified && { 'insecure-skip-tls-verify': true }),
      ...(roots !== undefined && { 'certificate-authority-data': Buffer.from(roots).toString('base64') }),
      ...(proxy !== undefined && { 'proxy-url': proxy.href }),
    },
  };
}

function credentialOf(output: string, plugin: ExecPlugin): ExecCredential {
  let credential: { apiVersion?: unknown; kind?: unknown; status?: Readonly<Record<string, unknown>> | null };
  try {
    credential = JSON.parse(output) as typeof credential;
  } catch {
    return refuse(plugin, 'its output is not JSON');
  }
  if (credential?.kind !== 'ExecCredential' || credential.apiVersion !== plugin.apiVersion) {
    return refuse(plugin, `its output is not an ExecCredential of ${plugin.apiVersion}`);
  }
  const text = (name: string): string | undefined => {
    const value = credential.status?.[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const [token, chain, key, expires] = ['token', 'clientCertificateData', 'clientKeyData', 'expirationTimestamp'].map(
    text,
  );
  if ((chain === undefined) !== (key === undefined))
    return refuse(plugin, 'it gives a certificate without its key, or a key alone');
  const certificate = chain === undefined || key === undefined ? undefined : { chain, key };
  if (token === undefined && certificate === undefined)
    return refuse(plugin, 'it gives neither a token nor a certificate');
  const expiresAt = expires === undefined ? undefined : Date.parse(expires);
  if (Number.isNaN(expiresAt)) return refuse(plugin, 'its expirationTimestamp is no time');
  return { token, certificate, expiresAt };
}

function refuse(plugin: ExecPlugin, reason: string): never {
  throw new KubernetesError('credentials-unusable', `the credential plugin "${plugin.command}": ${reason}`);
}
