import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { serviceMesh } from '../src/cli/agent/testing/sample-mesh.ts';
import { createMeshCa, type IssuedCertificate, type MeshCa } from '../src/testing/certificates.ts';
import { generateMesh } from './mesh.ts';
import { Program } from './program.ts';

/** Workload of all agents here, and its identity. */
export const workload = 'httpbin.foo';
export const spiffeId = 'spiffe://cluster.local/ns/foo/sa/httpbin';

/** Where Envoy finds its configuration, below the folder. */
export const configPath = 'etc/mesh/proxy';

/** How an agent is started: the Node that runs it, flags after the workload's, variables. */
export interface AgentStart {
  readonly node?: string;
  readonly flags?: readonly string[];
  /** Flags that say where the configuration comes from; the folder of policies unless they say otherwise. */
  readonly source?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** A working directory for `pilot-agent proxy`: policies, topology and a certificate of the workload. */
export class AgentFolder {
  readonly path: string;
  readonly #ca: MeshCa;

  private constructor(path: string, ca: MeshCa) {
    this.path = path;
    this.#ca = ca;
  }

  /** With the workload, and so many other services in ten namespaces with a pod each. */
  static async create(services: number): Promise<AgentFolder> {
    const folder = new AgentFolder(await mkdtemp(join(tmpdir(), 'bench-')), await createMeshCa());
    await folder.write('mesh/topology.yaml', serviceMesh);
    const files = services === 0 ? [] : generateMesh({ services, workloads: services, namespaces: 10 });
    for (const { path, text } of files) await folder.write(`mesh/${path}`, text);
    for (const [name, text] of pairFiles(await folder.issue())) await folder.write(`certs/${name}`, text);
    return folder;
  }

  issue(): Promise<IssuedCertificate> {
    return this.#ca.issue(spiffeId);
  }

  async write(name: string, text: string): Promise<void> {
    const path = join(this.path, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }

  /** Replaces a file at once; gives when, as `performance.now()` counts. */
  async replace(name: string, text: string): Promise<number> {
    // Beside the inputs until it has its name.
    const beside = join(this.path, 'next');
    await writeFile(beside, text);
    const at = performance.now();
    await rename(beside, join(this.path, name));
    return at;
  }

  readConfig(name: string): Promise<string> {
    return readFile(join(this.path, configPath, name), 'utf8');
  }

  /** `pilot-agent proxy` for the workload. */
  start({ node = process.execPath, flags = [], source = ['--policies', 'mesh'], environment = {} }: AgentStart = {}) {
    const command = [node, resolve('dist/pilot-agent.js'), 'proxy', 'sidecar', '--id', workload, ...source];
    return new Program([...command, ...flags], {
      folder: this.path,
      environment: { PROV_CERT: 'certs', TERMINATION_DRAIN_DURATION_SECONDS: '0', ...environment },
    });
  }

  remove(): Promise<void> {
    return rm(this.path, { recursive: true, force: true });
  }
}

/** A certificate as the files of PROV_CERT, the key first: a pair counts once its halves fit. */
export function pairFiles(issued: IssuedCertificate): readonly (readonly [name: string, text: string])[] {
  return [
    ['key.pem', issued.privateKey],
    ['cert-chain.pem', issued.certificateChain],
    ['root-cert.pem', issued.rootCertificate],
  ];
}
