/** One page of `docs/`: its file without `.md`, and one sentence for the index. */
export interface PageEntry {
  readonly name: string;
  readonly summary: string;
}

/** One folder of `docs/`, in reading order. */
export interface Part {
  readonly folder: string;
  readonly title: string;
  readonly introduction: string;
  readonly pages: readonly PageEntry[];
}

/** Every page of the documentation, in reading order; a test compares it with the files. */
export const parts: readonly Part[] = [
  {
    folder: 'guides',
    title: 'Guides',
    introduction: 'Step-by-step instructions. Start here.',
    pages: [
      {
        name: 'first-mesh',
        summary: 'Two services, a call through two sidecars on one machine, a policy, the call again.',
      },
      {
        name: 'local-program',
        summary: 'One proxy with a policy in front of a program on this machine, without root.',
      },
      {
        name: 'identity-without-kubernetes',
        summary: 'Start a CA, issue a token, and get a certificate for a workload.',
      },
      { name: 'when-a-call-fails', summary: 'Find the reason of a 403, a 503 or a reset connection.' },
      {
        name: 'from-istio',
        summary: 'Kinds, fields and settings of Istio: supported or not, and what to use instead.',
      },
      { name: 'pilot-agent-containers', summary: 'Build an image of the agent and run it in Kubernetes pods.' },
      {
        name: 'proxies-in-front',
        summary: 'Set up a gateway behind load balancers, and see which client address a rule matches.',
      },
    ],
  },
  {
    folder: 'reference',
    title: 'Reference',
    introduction: 'Every command, setting, file and message, for looking things up.',
    pages: [
      { name: 'meshpol-compile', summary: 'Compile policies and topology into Envoy configuration.' },
      { name: 'meshpol-lint', summary: 'Find what compiles and is still wrong.' },
      { name: 'meshpol-rules', summary: 'List and explain the rules of lint.' },
      { name: 'meshpol-schema', summary: 'Print the JSON Schema of a kind.' },
      { name: 'meshpol-version', summary: 'Print the version.' },
      { name: 'library', summary: 'The compiler as a library for Node and browsers.' },
      { name: 'pilot-agent-proxy', summary: 'Compile, start Envoy, follow changes, drain.' },
      { name: 'pilot-agent-istio-iptables', summary: 'Redirect the traffic of a network namespace to the proxy.' },
      { name: 'pilot-agent-istio-clean-iptables', summary: 'Remove that redirection.' },
      { name: 'pilot-agent-request', summary: "Send a request to Envoy's admin interface." },
      { name: 'pilot-agent-wait', summary: 'Wait until a proxy is ready.' },
      { name: 'pilot-agent-version', summary: 'Print build information.' },
      { name: 'meshd-serve', summary: 'Run the certificate authority (CA).' },
      { name: 'meshd-version', summary: 'Print build information.' },
      {
        name: 'pilot-agent-status',
        summary: 'HTTP endpoints of the agent: readiness, probes, metrics, drain and quit.',
      },
      { name: 'pilot-agent-dns', summary: "The agent's DNS server for the workload." },
      { name: 'pilot-agent-sts', summary: "The agent's token exchange server for cloud credentials." },
      {
        name: 'compiled-policies',
        summary: 'What policies become: tokens, access rules, protocols, routes, endpoints, gateways.',
      },
      { name: 'kinds', summary: 'Every kind with its smallest YAML and every field.' },
      {
        name: 'mesh-configuration',
        summary: 'Every setting of the mesh configuration and of ProxyConfig, with its default.',
      },
      { name: 'bootstrap', summary: 'What Envoy is started with, and how to change it.' },
      { name: 'templates', summary: 'Replace the templates that generate Envoy configuration.' },
      { name: 'variables', summary: 'Environment variables of all programs, with defaults.' },
      { name: 'logging', summary: 'Log lines, scopes, levels, files and rotation.' },
      { name: 'access-log', summary: 'Settings and default formats of the log of requests and connections.' },
      { name: 'metrics', summary: 'Prometheus metrics of the agent.' },
      { name: 'diagnostics', summary: 'Every error and warning of the compiler, with an example.' },
      { name: 'lint-rules', summary: 'Every rule of lint, with an example that it finds and one that it does not.' },
    ],
  },
  {
    folder: 'explanation',
    title: 'Explanation',
    introduction: 'How the programs work, and why.',
    pages: [
      { name: 'glossary', summary: 'Terms, and the versions of Envoy and Istio.' },
      { name: 'architecture', summary: 'Stages of the compiler, modules, and the contracts between them.' },
      {
        name: 'life-of-a-request',
        summary: 'The way of a request through two sidecars, and filter chains, as pictures.',
      },
      { name: 'threat-model', summary: 'What is defended against whom, and what is not.' },
      { name: 'identity', summary: "Where a workload's certificate comes from, and when it is renewed." },
      { name: 'certificate-authority', summary: 'What the CA signs, for whom, and how to change its root.' },
      { name: 'pilot-agent-lifecycle', summary: 'Start, drain, restart, PID 1 and systemd.' },
      {
        name: 'pilot-agent-reload',
        summary: 'What happens when policies change while the proxy runs, or cannot be applied.',
      },
    ],
  },
  {
    folder: 'project',
    title: 'Project',
    introduction: 'What has been measured and tested, and what is still open.',
    pages: [
      { name: 'performance', summary: 'Measurements, and how to repeat them.' },
      { name: 'conformance', summary: 'Each line of the specification, with the test that shows it, or "open".' },
      { name: 'scenarios', summary: 'How the agent behaves in specific situations, with the tests.' },
      { name: 'incidents', summary: 'Known CVEs and bugs of other proxies, with the regression test for each.' },
      { name: 'attacks', summary: 'What Envoy makes of more than 500 hostile spellings of requests.' },
    ],
  },
];
