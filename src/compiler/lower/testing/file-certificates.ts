/** Changes the message in place: certificates come from files beside the configuration, not from a discovery server. */
export function withFileCertificates(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  const message = node as Record<string, unknown>;
  if (message.tls_certificate_sds_secret_configs !== undefined) {
    delete message.tls_certificate_sds_secret_configs;
    message.tls_certificates = [{ certificate_chain: { filename: 'cert.pem' }, private_key: { filename: 'key.pem' } }];
  }
  const combined = message.combined_validation_context as { default_validation_context?: object } | undefined;
  if (combined !== undefined) {
    delete message.combined_validation_context;
    message.validation_context = { ...combined.default_validation_context, trusted_ca: { filename: 'root.pem' } };
  }
  for (const child of Object.values(message)) withFileCertificates(child);
}
