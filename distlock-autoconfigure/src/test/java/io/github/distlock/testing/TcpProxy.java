package io.github.distlock.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stands between a client and a server, and can lose what the server answers.
 */
public final class TcpProxy implements AutoCloseable {

	private final ServerSocket listener;

	private final int target;

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	private volatile boolean losingReplies;

	private volatile boolean refusing;

	/**
	 * Listen on a free port.
	 * @param target the server's port on this machine
	 */
	public TcpProxy(int target) {
		try {
			this.target = target;
			this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		run(this::accept);
	}

	public int port() {
		return this.listener.getLocalPort();
	}

	/**
	 * Commands arrive and run, but no answer comes back.
	 * @param losing whether to lose answers from now on
	 */
	public void loseReplies(boolean losing) {
		this.losingReplies = losing;
	}

	/**
	 * Break all connections and refuse new ones.
	 * @param refused whether to refuse from now on
	 */
	public void refuse(boolean refused) {
		this.refusing = refused;
		if (refused) {
			cut();
		}
	}

	/** Break all connections. New ones are accepted. */
	public void cut() {
		this.sockets.forEach(TcpProxy::close);
		this.sockets.clear();
	}

	private void accept() {
		try {
			while (true) {
				Socket client = this.listener.accept();
				if (this.refusing) {
					close(client);
					continue;
				}
				Socket server = new Socket(InetAddress.getLoopbackAddress(), this.target);
				this.sockets.add(client);
				this.sockets.add(server);
				run(() -> pump(client, server, false));
				run(() -> pump(server, client, true));
			}
		}
		catch (IOException ex) {
			// Closed.
		}
	}

	private void pump(Socket from, Socket to, boolean replies) {
		byte[] buffer = new byte[8192];
		try {
			InputStream in = from.getInputStream();
			OutputStream out = to.getOutputStream();
			for (int read; (read = in.read(buffer)) > 0;) {
				if (!replies || !this.losingReplies) {
					out.write(buffer, 0, read);
				}
			}
		}
		catch (IOException ex) {
			// One side is gone: so is the other.
		}
		close(from);
		close(to);
	}

	private static void run(Runnable task) {
		Thread thread = new Thread(task, "tcp-proxy");
		thread.setDaemon(true);
		thread.start();
	}

	private static void close(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			// It is closed then.
		}
	}

	@Override
	public void close() {
		try {
			this.listener.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		cut();
	}

}
