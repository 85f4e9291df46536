package io.github.distlock.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Stands between a client and a server, and can lose what the server answers.
 */
public final class TcpProxy implements AutoCloseable {

	private final ServerSocket listener;

	private volatile int target;

	private final Set<Link> links = ConcurrentHashMap.newKeySet();

	private volatile boolean losingReplies;

	private volatile boolean refusing;

	private volatile boolean swallowing;

	private volatile boolean holdingBack;

	private volatile long commandDelayNanos;

	private volatile long replyDelayNanos;

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
	 * Lead new connections to another server, as a changed address does.
	 * @param port its port on this machine
	 */
	public void redirect(int port) {
		this.target = port;
	}

	/**
	 * Commands arrive and run, but no answer comes back.
	 * @param losing whether to lose answers from now on
	 */
	public void loseReplies(boolean losing) {
		this.losingReplies = losing;
	}

	/**
	 * Whatever is sent over the connections of this moment arrives, but nothing comes
	 * back on them until they are cut.
	 */
	public void mute() {
		this.links.forEach((link) -> link.mute = true);
	}

	/**
	 * Keep what is sent over the connections of this moment, until it is delivered late.
	 */
	public void withhold() {
		this.links.forEach((link) -> link.withholding = true);
	}

	/**
	 * Break the connections whose commands are withheld; a while later let these arrive,
	 * when nobody waits for an answer any more.
	 * @param delay how much later
	 */
	public void deliverLate(Duration delay) {
		List<Link> late = this.links.stream().filter((link) -> link.withholding).toList();
		for (Link link : late) {
			link.halfOpen = true;
			close(link.client);
			this.links.remove(link);
		}
		keep(delay.toNanos());
		late.forEach(Link::deliver);
	}

	/**
	 * Let everything take its time.
	 * @param commands how long each piece is kept on its way to the server
	 * @param replies how long each piece is kept on its way back
	 */
	public void slow(Duration commands, Duration replies) {
		this.commandDelayNanos = commands.toNanos();
		this.replyDelayNanos = replies.toNanos();
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

	/**
	 * Bytes vanish in both directions and nobody is told, as when a firewall has
	 * forgotten its connections. Those of which something has vanished stay like that.
	 * @param swallowed whether bytes vanish from now on
	 */
	public void swallow(boolean swallowed) {
		this.swallowing = swallowed;
	}

	/**
	 * Bytes wait in both directions, as while packets are lost.
	 * @param held whether they wait from now on; otherwise they arrive
	 */
	public void holdBack(boolean held) {
		this.holdingBack = held;
	}

	/** Break all connections. New ones are accepted. */
	public void cut() {
		this.links.forEach(Link::close);
		this.links.clear();
	}

	/**
	 * Break the connections that subscribe for the server only: the client hears nothing.
	 */
	public void forgetSubscriptions() {
		this.links.stream().filter((link) -> link.subscribing).forEach((link) -> {
			link.halfOpen = true;
			TcpProxy.close(link.server);
		});
	}

	/**
	 * The connections that subscribe stay open at both ends, but what the server sends on
	 * them vanishes, as when a firewall has forgotten them in that direction.
	 */
	public void muteSubscriptions() {
		this.links.stream().filter((link) -> link.subscribing).forEach((link) -> link.mute = true);
	}

	private void accept() {
		try {
			while (true) {
				Socket client = this.listener.accept();
				if (this.refusing) {
					close(client);
					continue;
				}
				connect(client);
			}
		}
		catch (IOException ex) {
			// Closed.
		}
	}

	private void connect(Socket client) {
		try {
			Link link = new Link(client, new Socket(InetAddress.getLoopbackAddress(), this.target));
			this.links.add(link);
			run(() -> pumpCommands(link));
			run(() -> pumpReplies(link));
		}
		catch (IOException ex) {
			// The server is away, and may come back.
			close(client);
		}
	}

	private void pumpCommands(Link link) {
		byte[] buffer = new byte[8192];
		try {
			InputStream in = link.client.getInputStream();
			OutputStream out = link.server.getOutputStream();
			for (int read; (read = in.read(buffer)) > 0;) {
				if (new String(buffer, 0, read, StandardCharsets.ISO_8859_1).contains("SUBSCRIBE")) {
					link.subscribing = true;
				}
				keep(this.commandDelayNanos);
				if (link.withholding) {
					link.withheld.write(buffer, 0, read);
				}
				else if (passes(link)) {
					out.write(buffer, 0, read);
				}
			}
		}
		catch (IOException ex) {
			// One side is gone: so is the other.
		}
		link.end();
	}

	/** Wait while bytes are held back, and find out whether they vanish. */
	private boolean passes(Link link) {
		while (this.holdingBack && !link.client.isClosed()) {
			LockSupport.parkNanos(this, 2_000_000);
		}
		if (this.swallowing) {
			link.dead = true;
		}
		return !link.dead;
	}

	private static void keep(long nanos) {
		if (nanos > 0) {
			LockSupport.parkNanos(nanos);
		}
	}

	private void pumpReplies(Link link) {
		byte[] buffer = new byte[8192];
		try {
			InputStream in = link.server.getInputStream();
			OutputStream out = link.client.getOutputStream();
			for (int read; (read = in.read(buffer)) > 0;) {
				if (passes(link) && !this.losingReplies && !link.mute) {
					keep(this.replyDelayNanos);
					out.write(buffer, 0, read);
				}
			}
		}
		catch (IOException ex) {
			// One side is gone: so is the other.
		}
		link.end();
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

	/** One connection of a client, and the one to the server that belongs to it. */
	private static final class Link {

		private final Socket client;

		private final Socket server;

		private volatile boolean subscribing;

		private volatile boolean halfOpen;

		private volatile boolean dead;

		private volatile boolean mute;

		private volatile boolean withholding;

		/** Guards itself. */
		private final ByteArrayOutputStream withheld = new ByteArrayOutputStream();

		Link(Socket client, Socket server) {
			this.client = client;
			this.server = server;
		}

		void deliver() {
			try {
				this.server.getOutputStream().write(this.withheld.toByteArray());
				this.server.shutdownOutput();
			}
			catch (IOException ex) {
				// It has closed the connection.
			}
		}

		void end() {
			if (!this.halfOpen) {
				close();
			}
		}

		void close() {
			TcpProxy.close(this.client);
			TcpProxy.close(this.server);
		}

	}

}
