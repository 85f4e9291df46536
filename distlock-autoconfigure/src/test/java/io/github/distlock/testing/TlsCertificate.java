package io.github.distlock.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;

/**
 * The PEM files of a self-signed certificate of this machine and of its key, created when
 * they are needed.
 */
public record TlsCertificate(Path certificate, Path key) {

	private static final String PASSWORD = "changeit";

	private static final String ALIAS = "redis";

	public static TlsCertificate in(Path folder) {
		Path store = folder.resolve("redis.p12");
		return Unchecked.call(() -> {
			Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
					"-genkeypair", "-alias", ALIAS, "-keyalg", "RSA", "-keysize", "2048", "-dname", "CN=localhost",
					"-ext", "SAN=ip:127.0.0.1,dns:localhost", "-validity", "2", "-storetype", "PKCS12", "-keystore",
					store.toString(), "-storepass", PASSWORD)
				.redirectErrorStream(true)
				.start();
			String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			if (keytool.waitFor() != 0) {
				throw new IllegalStateException("No certificate: " + said);
			}
			KeyStore keys = KeyStore.getInstance("PKCS12");
			try (InputStream in = Files.newInputStream(store)) {
				keys.load(in, PASSWORD.toCharArray());
			}
			return new TlsCertificate(
					write(folder.resolve("redis.crt"), "CERTIFICATE", keys.getCertificate(ALIAS).getEncoded()),
					write(folder.resolve("redis.key"), "PRIVATE KEY",
							keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded()));
		});
	}

	private static Path write(Path file, String what, byte[] der) throws IOException {
		String lines = Base64.getMimeEncoder(64, new byte[] { '\n' }).encodeToString(der);
		return Files.writeString(file, "-----BEGIN " + what + "-----\n" + lines + "\n-----END " + what + "-----\n");
	}

}
