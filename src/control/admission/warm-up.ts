import type { JsonObject } from '../../source/document.ts';
import type { AdmissionQuestion } from './admission-messages.ts';

/** Of each sample. A thread that has just begun is then about as fast as one that has answered thousands of reviews. */
const usualRounds = 40;

/**
 * Has reviews of pods as clusters have them answered, and the answers forgotten: that reads the templates, and has their code
 * compiled, before the first pods of a new control plane come, which may be all pods of a node at once. What else there is
 * to do is done between two of them.
 */
export class WarmUp {
  readonly #questions: Generator<AdmissionQuestion>;
  readonly #answer: (question: AdmissionQuestion) => void;
  #isBegun = false;

  constructor(answer: (question: AdmissionQuestion) => void, rounds = usualRounds) {
    this.#answer = answer;
    this.#questions = questions(rounds);
  }

  /** Nothing where it has begun. */
  begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    this.#goOn();
  }

  #goOn(): void {
    const { value, done } = this.#questions.next();
    if (done) return;
    this.#answer(value);
    setImmediate(() => this.#goOn());
  }
}

function* questions(rounds: number): Generator<AdmissionQuestion> {
  for (let round = 0; round < rounds; round += 1) {
    for (const [i, { metadata, spec }] of samples.entries()) {
      const uid = `sample-${round}-${i}`;
      const object = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, namespace, uid }, spec };
      const kind = { group: '', version: 'v1', kind: 'Pod' };
      const request = { uid, kind, operation: 'CREATE', namespace, object, oldObject: null };
      const text = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
      yield { id: 0, webhook: 'inject', text, location: {}, namespaceLabels: { 'mesh-injection': 'enabled' } };
    }
  }
}

/** No namespace has such a name. */
const namespace = 'Samples';

interface Sample {
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
}

const http = { httpGet: { path: '/healthz', port: 'http' }, periodSeconds: 10 };
const server = {
  ...{ name: 'server', image: 'server:1', args: ['--listen', ':8080'], env: [{ name: 'LEVEL', value: 'info' }] },
  ports: [{ name: 'http', containerPort: 8080 }],
  resources: { requests: { cpu: '100m', memory: '64Mi' } },
  securityContext: { runAsNonRoot: true, allowPrivilegeEscalation: false },
};
const account = { name: 'token', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true };
const owned = (kind: string, annotations: JsonObject = {}): JsonObject => ({
  ...{ generateName: 'sample-5d4f8c7b9d-', labels: { app: 'sample', 'pod-template-hash': '5d4f8c7b9d' }, annotations },
  ownerReferences: [{ apiVersion: 'apps/v1', kind, name: 'sample-5d4f8c7b9d', controller: true, uid: 'u' }],
});

/** Each has another choice of the parts of our templates, or asks another part of injection. */
const samples: readonly Sample[] = [
  { metadata: owned('ReplicaSet'), spec: { containers: [server] } },
  {
    metadata: owned('ReplicaSet', { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080' }),
    spec: {
      containers: [{ ...server, livenessProbe: http, readinessProbe: http, volumeMounts: [account] }],
      volumes: [{ name: 'token', projected: { sources: [] } }],
    },
  },
  {
    metadata: owned('StatefulSet', { 'traffic.sidecar.mesh.io/excludeOutboundPorts': '5432' }),
    spec: {
      initContainers: [{ name: 'prepare', image: 'tool:1' }],
      containers: [
        { ...server, readinessProbe: { tcpSocket: { port: 8080 } } },
        { name: 'metrics', image: 'tool:1', livenessProbe: { exec: { command: ['true'] } } },
      ],
      terminationGracePeriodSeconds: 60,
    },
  },
  { metadata: owned('Job'), spec: { restartPolicy: 'Never', containers: [{ name: 'job', image: 'tool:1' }] } },
  {
    metadata: owned('ReplicaSet', { 'inject.mesh.io/templates': 'gateway' }),
    spec: { containers: [{ name: 'mesh-proxy', image: 'auto' }] },
  },
];
