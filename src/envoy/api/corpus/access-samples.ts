// The public key of RFC 7517, appendix A.1.
const exampleKey = {
  kty: 'EC',
  crv: 'P-256',
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
  alg: 'ES256',
  kid: '1',
};

/** `jwt_authn` with two providers and rules of each form that this product emits. */
export function jwtFilter(): object {
  return {
    name: 'envoy.filters.http.jwt_authn',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication',
      providers: {
        'origins-0': {
          issuer: 'issuer@example.com',
          audiences: ['shop'],
          local_jwks: { inline_string: JSON.stringify({ keys: [exampleKey] }) },
          payload_in_metadata: 'payload',
          clock_skew_seconds: 1,
          forward: true,
          from_headers: [{ name: 'Authorization', value_prefix: 'Bearer ' }],
          from_params: ['access_token'],
          claim_to_headers: [{ header_name: 'x-sub', claim_name: 'sub' }],
        },
        'origins-1': {
          issuer: 'https://other.example.com',
          remote_jwks: {
            http_uri: { uri: 'https://other.example.com/keys', cluster: 'dns', timeout: '5s' },
            cache_duration: '300s',
          },
        },
      },
      rules: [
        {
          match: { prefix: '/' },
          requires: {
            requires_any: {
              requirements: [
                { provider_name: 'origins-0' },
                { provider_and_audiences: { provider_name: 'origins-1', audiences: ['a'] } },
                { allow_missing: {} },
              ],
            },
          },
        },
      ],
    },
  };
}

/** HTTP RBAC with every matcher that this product emits. */
export function httpRbac(): object {
  return {
    name: 'envoy.filters.http.rbac',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC',
      rules: { action: 'ALLOW', policies: { 'ns[default]-policy[shop]-rule[0]': httpPolicy() } },
      shadow_rules: { action: 'DENY', policies: { p: { permissions: [{ any: true }], principals: [{ any: true }] } } },
      shadow_rules_stat_prefix: 'dry_run_',
    },
  };
}

/** Network RBAC: addresses, ports, peers. */
export function networkRbac(): object {
  return {
    name: 'envoy.filters.network.rbac',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.filters.network.rbac.v3.RBAC',
      stat_prefix: 'tcp.',
      rules: {
        action: 'DENY',
        policies: {
          'ns[default]-policy[deny]-rule[0]': {
            permissions: [
              { or_rules: { rules: [{ destination_port: 8000 }, { requested_server_name: { exact: 'a' } }] } },
            ],
            principals: [
              {
                and_ids: {
                  ids: [{ direct_remote_ip: { address_prefix: '10.0.0.0', prefix_len: 8 } }, peer('spiffe://a/')],
                },
              },
            ],
          },
        },
      },
    },
  };
}

function httpPolicy(): object {
  return {
    permissions: [
      {
        and_rules: {
          rules: [
            {
              or_rules: { rules: [{ url_path: { path: { prefix: '/a' } } }, { url_path: { path: { exact: '/b' } } }] },
            },
            { not_rule: { header: { name: ':method', string_match: { exact: 'DELETE', ignore_case: true } } } },
            { header: { name: ':authority', string_match: { safe_regex: { regex: '(?i)shop(:\\d+)?' } } } },
            { destination_port_range: { start: 1, end: 9000 } },
            { destination_ip: { address_prefix: 'fd00::', prefix_len: 64 } },
            {
              uri_template: {
                name: 'uri-template',
                typed_config: {
                  '@type': 'type.googleapis.com/envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig',
                  path_template: '/foo/*/bar/**',
                },
              },
            },
          ],
        },
      },
    ],
    principals: [
      {
        and_ids: {
          ids: [
            {
              or_ids: {
                ids: [
                  peer('spiffe://cluster.local/ns/'),
                  { remote_ip: { address_prefix: '10.1.0.0', prefix_len: 16 } },
                ],
              },
            },
            { not_id: { header: { name: 'x-user', present_match: true } } },
            {
              metadata: {
                filter: 'envoy.filters.http.jwt_authn',
                path: [{ key: 'payload' }, { key: 'iss' }],
                value: {
                  or_match: {
                    value_matchers: [
                      { string_match: { suffix: '.com' } },
                      { list_match: { one_of: { bool_match: true } } },
                    ],
                  },
                },
              },
            },
          ],
        },
      },
    ],
  };
}

function peer(prefix: string): object {
  return { authenticated: { principal_name: { prefix } } };
}
