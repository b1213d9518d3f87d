import { exportTo, forbidden, once, rules, schema, selectors, unique } from './addition.ts';
import type { Additions } from './structural-schema.ts';

/** Validation of Sidecar that an API server can do. */
export const sidecar: Additions = {
  ...selectors,
  'spec.egress': schema({ maxItems: 4_096 }),
  'spec.ingress': { ...schema({ maxItems: 1_024 }), ...rules(once('port.number')) },
  'egress[]': rules(
    forbidden('bind', 'has(self.port) || !has(self.bind)', '"bind" needs "port"'),
    {
      rule: "has(self.port) || !has(self.captureMode) || self.captureMode != 'NONE'",
      message: 'captureMode NONE needs "port"',
      fieldPath: '.captureMode',
    },
    {
      rule: "!has(self.port) || !has(self.bind) || !has(self.captureMode) || self.captureMode != 'NONE' || self.bind.startsWith('127.') || self.bind == '::1'",
      message: 'with captureMode NONE, "bind" has to be a loopback address',
      fieldPath: '.bind',
    },
  ),
  'ingress[]': rules({
    rule: "!has(self.defaultEndpoint) || self.defaultEndpoint.startsWith('127.0.0.1:') || self.defaultEndpoint.startsWith('[::1]:') || int(self.defaultEndpoint.substring(self.defaultEndpoint.lastIndexOf(':') + 1)) == self.port.number",
    message: "an endpoint of another port than the listener's needs a loopback address",
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
    forbidden(
      'workloadSelector',
      '!has(self.workloadSelector) || !has(self.endpoints)',
      '"endpoints" excludes "workloadSelector"',
    ),
    {
      rule: "!has(self.endpoints) || size(self.endpoints) == 0 || (has(self.resolution) && self.resolution != 'NONE')",
      message: "with resolution NONE, the default, there can't be endpoints",
      fieldPath: '.endpoints',
    },
    {
      rule: "!has(self.endpoints) || size(self.endpoints) < 2 || !has(self.resolution) || self.resolution != 'DNS_ROUND_ROBIN'",
      message: 'with resolution DNS_ROUND_ROBIN, there can be only one endpoint',
      fieldPath: '.endpoints',
    },
    {
      rule: `!${asksDns} || !has(self.addresses) || !self.addresses.exists(address, address.contains('/'))`,
      message: "with resolution DNS or DNS_ROUND_ROBIN, an address can't be a CIDR block",
      fieldPath: '.addresses',
    },
    {
      rule: `!${asksDns} || has(self.workloadSelector) || (has(self.endpoints) && size(self.endpoints) > 0) || !self.hosts.exists(host, host.startsWith('*'))`,
      message: "without endpoints, hosts are resolved by DNS: they can't have a wildcard",
      fieldPath: '.hosts',
    },
  ),
};
