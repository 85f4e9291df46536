package io.github.distlock.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import org.springframework.util.function.ThrowingSupplier;

/**
 * A proxy between a client and a server that can lose, delay and break what they send.
 */
public final class TcpProxy implements AutoCloseable {

	/** The length, and the number of such a request. */
	private static final byte[] CANCEL_START = { 0, 0, 0, 16, 4, (byte) 210, 22, 46 };

	private final ServerSocket listener;

	private volatile int target;

	private final Set<Link> links = ConcurrentHashMap.newKeySet();

	private volatile boolean refusing;

	private volatile boolean swallowing;

	private volatile boolean holdingBack;

	private volatile boolean holdingSubscriptions;

	private final AtomicInteger cancellations = new AtomicInteger();

	private final AtomicInteger roundTrips = new AtomicInteger();

	private volatile long commandDelayNanos;

	private volatile long replyDelayNanos;

	private volatile @Nullable UnaryOperator<List<byte[]>> disturbance;

	/** Listen on a free port, in front of a server on this machine. */
	public TcpProxy(int target) {
		this.target = target;
		this.listener = ThrowingSupplier.of(() -> new ServerSocket(0, 50, InetAddress.getLoopbackAddress())).get();
		run(this::accept);
	}

	public int port() {
		return this.listener.getLocalPort();
	}

	/** Connect new clients to another server, as a changed address does. */
	public void redirect(int port) {
		this.target = port;
	}

	/**
	 * On the present connections, deliver what is sent but lose the replies, until they
	 * are cut.
	 */
	public void mute() {
		this.links.forEach((link) -> link.mute = true);
	}

	/** Withhold what is sent over the present connections, until it is delivered late. */
	public void withhold() {
		this.links.forEach((link) -> link.withholding = true);
	}

	/**
	 * Break the connections with withheld commands, and deliver these after a delay, when
	 * no client waits for a reply any more.
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
	 * Change the replies of a Redis, except those on connections that subscribe. Called
	 * with those that have arrived completely, returns what is delivered. {@code null}
	 * delivers all.
	 */
	public void disturb(@Nullable UnaryOperator<List<byte[]>> disturbance) {
		this.disturbance = disturbance;
	}

	/** Delay each piece of data on its way to the server, and on its way back. */
	public void slow(Duration commands, Duration replies) {
		this.commandDelayNanos = commands.toNanos();
		this.replyDelayNanos = replies.toNanos();
	}

	/** Break all connections and refuse new ones. */
	public void refuse(boolean refused) {
		this.refusing = refused;
		if (refused) {
			cut();
		}
	}

	/**
	 * Drop all data in both directions without closing connections, as a firewall that
	 * has forgotten them. Connections that have lost data remain broken.
	 */
	public void swallow(boolean swallowed) {
		this.swallowing = swallowed;
	}

	/**
	 * Hold all data in both directions, as while packets are lost, or deliver what was
	 * held.
	 */
	public void holdBack(boolean held) {
		this.holdingBack = held;
	}

	/**
	 * Hold the data of connections from the moment in which they subscribe, or deliver
	 * what was held.
	 */
	public void holdSubscriptions(boolean held) {
		this.holdingSubscriptions = held;
	}

	/** How many connections have been opened only to cancel a statement of PostgreSQL. */
	public int cancellations() {
		return this.cancellations.get();
	}

	/** How often a client has sent something to a server that had answered before. */
	public int roundTrips() {
		return this.roundTrips.get();
	}

	/** Break all connections. New ones are accepted. */
	public void cut() {
		this.links.forEach(Link::close);
	}

	/**
	 * Break the connections that subscribe, on the server's side only: the client does
	 * not notice.
	 */
	public void forgetSubscriptions() {
		this.links.stream().filter((link) -> link.subscribing).forEach((link) -> {
			link.halfOpen = true;
			TcpProxy.close(link.server);
		});
	}

	/**
	 * Drop what the server sends on connections that subscribe. They stay open on both
	 * sides, as when a firewall has forgotten them in that direction.
	 */
	public void muteSubscriptions() {
		this.links.stream().filter((link) -> link.subscribing).forEach((link) -> link.mute = true);
	}

	private void accept() {
		try {
			while (true) {
				connect(this.listener.accept());
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
			// After that: refuse() finds the link, or this finds that it is refused.
			if (this.refusing) {
				link.close();
			}
			run(() -> pump(link, client, this::passCommands));
			run(() -> pump(link, link.server, this::passReplies));
		}
		catch (IOException ex) {
			// The server is unreachable, and may come back.
			close(client);
		}
	}

	private void pump(Link link, Socket from, Pump pump) {
		byte[] buffer = new byte[65536];
		try {
			InputStream in = from.getInputStream();
			for (int read; (read = in.read(buffer)) > 0;) {
				pump.pass(link, Arrays.copyOf(buffer, read));
			}
		}
		catch (IOException ex) {
			// One side has closed: close the other one.
		}
		link.end();
	}

	private void passCommands(Link link, byte[] data) throws IOException {
		if (new String(data, StandardCharsets.ISO_8859_1).contains("SUBSCRIBE")) {
			link.subscribing = true;
		}
		if (data.length == 2 * CANCEL_START.length
				&& Arrays.equals(Arrays.copyOf(data, CANCEL_START.length), CANCEL_START)) {
			this.cancellations.incrementAndGet();
		}
		if (link.answered) {
			link.answered = false;
			this.roundTrips.incrementAndGet();
		}
		keep(this.commandDelayNanos);
		if (link.withholding) {
			link.withheld.writeBytes(data);
		}
		else if (passes(link)) {
			link.server.getOutputStream().write(data);
		}
	}

	/** Wait while data is held, and find out whether it is dropped. */
	private boolean passes(Link link) {
		while ((this.holdingBack || this.holdingSubscriptions && link.subscribing) && !link.client.isClosed()) {
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

	private void passReplies(Link link, byte[] data) throws IOException {
		link.answered = true;
		if (passes(link) && !link.mute) {
			keep(this.replyDelayNanos);
			link.unread.writeBytes(data);
			UnaryOperator<List<byte[]>> change = this.disturbance;
			boolean whole = change == null || link.subscribing;
			for (byte[] reply : whole ? List.of(link.unread.toByteArray()) : change.apply(complete(link))) {
				link.client.getOutputStream().write(reply);
			}
			if (whole) {
				link.unread.reset();
			}
		}
	}

	/** Take out the replies that have arrived completely. */
	private static List<byte[]> complete(Link link) {
		byte[] bytes = link.unread.toByteArray();
		List<byte[]> replies = new ArrayList<>();
		int start = 0;
		for (int end = end(bytes, 0); end >= 0; end = end(bytes, start)) {
			replies.add(Arrays.copyOfRange(bytes, start, end));
			start = end;
		}
		link.unread.reset();
		link.unread.write(bytes, start, bytes.length - start);
		return replies;
	}

	/** Return the end of the reply that begins there, or -1 if it has not arrived. */
	private static int end(byte[] bytes, int start) {
		int line = start;
		while (line < bytes.length && bytes[line] != '\n') {
			line++;
		}
		if (line >= bytes.length) {
			return -1;
		}
		String head = new String(bytes, start, line - start - 1, StandardCharsets.ISO_8859_1);
		int end = line + 1;
		int length = ("$*%~>".indexOf(head.charAt(0)) < 0) ? 0 : Integer.parseInt(head.substring(1));
		if (head.charAt(0) == '$') {
			end += (length < 0) ? 0 : length + 2;
			return (end <= bytes.length) ? end : -1;
		}
		for (int left = (head.charAt(0) == '%') ? 2 * length : length; left > 0 && end >= 0; left--) {
			end = end(bytes, end);
		}
		return end;
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
			// The connection is closed then.
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
		refuse(true);
	}

	/** What is done with data in one direction. */
	private interface Pump {

		void pass(Link link, byte[] data) throws IOException;

	}

	/** A connection of a client, and its connection to the server. */
	private static final class Link {

		private final Socket client;

		private final Socket server;

		private volatile boolean subscribing;

		private volatile boolean halfOpen;

		private volatile boolean dead;

		private volatile boolean mute;

		private volatile boolean withholding;

		/** Whether the server has answered what the client sent last. */
		private volatile boolean answered;

		/** Used by the thread that delivers replies. */
		private final ByteArrayOutputStream unread = new ByteArrayOutputStream();

		/** Guards the list itself. */
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
				// The client has closed the connection.
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
