import { exportTo, forbidden, once, rules, schema, selectors, unique } from './addition.ts';
import type { Additions } from './structural-schema.ts';

/** Validation of Sidecar that an API server can do. */
export const sidecar: Additions = {
  ...selectors,
  'spec.egress': schema({ maxItems: 4_096 }),
  'spec.ingress': { ...schema({ maxItems: 1_024 }), ...rules(once('port.number')) },
  'egress[]': rules(
    forbidden('bind', 'has(self.port) || !has(self.bind)', 'a listener with an address needs a port'),
    {
      rule: "has(self.port) || !has(self.captureMode) || self.captureMode != 'NONE'",
      message: 'mode NONE needs a port',
      fieldPath: '.captureMode',
    },
    {
      rule: "!has(self.port) || !has(self.bind) || !has(self.captureMode) || self.captureMode != 'NONE' || self.bind.startsWith('127.') || self.bind == '::1'",
      message: 'with mode NONE the address is one of loopback',
      fieldPath: '.bind',
    },
  ),
  'ingress[]': rules({
    rule: "!has(self.defaultEndpoint) || self.defaultEndpoint.startsWith('127.0.0.1:') || self.defaultEndpoint.startsWith('[::1]:') || int(self.defaultEndpoint.substring(self.defaultEndpoint.lastIndexOf(':') + 1)) == self.port.number",
    message: "the port is the workload's own, or the address is one of loopback",
    fieldPath: '.defaultEndpoint',
  }),
};

const asksDns = "(has(self.resolution) && self.resolution in ['DNS', 'DNS_ROUND_ROBIN'])";

/** Validation of ServiceEntry that an API server can do. */
export const serviceEntry: Additions = {
  ...selectors,
  ...exportTo,
  'spec.addresses': schema({ maxItems: 4_096 }),
  'spec.ports': { ...schema({ ...unique('name'), maxItems: 1_024 }), ...rules(once('number')) },
  spec: rules(
    forbidden('workloadSelector', '!has(self.workloadSelector) || !has(self.endpoints)', '"endpoints" excludes it'),
    {
      rule: "!has(self.endpoints) || size(self.endpoints) == 0 || (has(self.resolution) && self.resolution != 'NONE')",
      message: 'with resolution NONE, which is the default, there are no endpoints',
      fieldPath: '.endpoints',
    },
    {
      rule: "!has(self.endpoints) || size(self.endpoints) < 2 || !has(self.resolution) || self.resolution != 'DNS_ROUND_ROBIN'",
      message: 'with resolution DNS_ROUND_ROBIN there is one endpoint',
      fieldPath: '.endpoints',
    },
    {
      rule: `!${asksDns} || !has(self.addresses) || !self.addresses.exists(address, address.contains('/'))`,
      message: 'with a resolution by DNS an address is no block',
      fieldPath: '.addresses',
    },
    {
      rule: `!${asksDns} || has(self.workloadSelector) || (has(self.endpoints) && size(self.endpoints) > 0) || !self.hosts.exists(host, host.startsWith('*'))`,
      message: 'without endpoints DNS is asked for the hosts: they have no wildcard',
      fieldPath: '.hosts',
    },
  ),
};
