package io.github.distlock.benchmarks.peers.redis;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;

import javax.net.ssl.TrustManagerFactory;

import io.github.distlock.benchmarks.contenders.StoreAddress;

/**
 * Trust in the certificate of a server, which is its own authority.
 */
final class TrustedCertificate {

	private TrustedCertificate() {
	}

	/**
	 * Read the certificate of a server.
	 * @param store a server with TLS
	 * @return trust in that server and no other
	 */
	static TrustManagerFactory of(StoreAddress store) {
		try (InputStream certificate = Files.newInputStream(Path.of(store.parts().get(1)))) {
			KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
			trusted.load(null, null);
			trusted.setCertificateEntry("server",
					CertificateFactory.getInstance("X.509").generateCertificate(certificate));
			TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
			trust.init(trusted);
			return trust;
		}
		catch (GeneralSecurityException | IOException ex) {
			throw new IllegalStateException("The certificate of " + store + " cannot be read", ex);
		}
	}

}
