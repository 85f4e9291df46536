package io.github.distlock.sample;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * A server that knows nothing but the files of a folder.
 */
final class FileServer implements AutoCloseable {

	private static final Map<String, String> TYPES = Map.of("html", "text/html", "js", "text/javascript", "css",
			"text/css", "json", "application/json");

	private final Path folder;

	private final HttpServer server;

	private FileServer(Path folder, HttpServer server) {
		this.folder = folder;
		this.server = server;
	}

	/**
	 * Serve a folder on a free port of this machine.
	 * @param folder the folder
	 * @return the server
	 * @throws IOException if there is no free port
	 */
	static FileServer start(Path folder) throws IOException {
		FileServer files = new FileServer(folder,
				HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
		files.server.createContext("/", files::answer);
		files.server.start();
		return files;
	}

	URI address() {
		return URI.create("http://localhost:" + this.server.getAddress().getPort() + "/");
	}

	private void answer(HttpExchange exchange) throws IOException {
		String path = exchange.getRequestURI().getPath().substring(1);
		Path file = this.folder.resolve(path.isEmpty() ? "index.html" : path).normalize();
		boolean known = file.startsWith(this.folder) && Files.isRegularFile(file);
		byte[] body = known ? Files.readAllBytes(file) : new byte[0];
		String name = file.toString();
		exchange.getResponseHeaders()
			.set("Content-Type", TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "text/plain"));
		exchange.sendResponseHeaders(known ? 200 : 404, (body.length > 0) ? body.length : -1);
		try (OutputStream out = exchange.getResponseBody()) {
			out.write(body);
		}
	}

	@Override
	public void close() {
		this.server.stop(0);
	}

}
