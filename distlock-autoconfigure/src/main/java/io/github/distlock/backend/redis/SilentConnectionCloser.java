package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Closes a connection on which something was sent and nothing came back for too long, so
 * that the driver makes a new one. A connection that a firewall has forgotten, or one
 * that TCP tries again ever more seldom, tells nothing to its client: each command would
 * time out, and leases end, although the server can be reached. Only the connection's own
 * event loop touches the state.
 */
final class SilentConnectionCloser extends ChannelDuplexHandler {

	private static final Log logger = LogFactory.getLog(SilentConnectionCloser.class);

	private final Duration patience;

	/** Whether something was sent since the last bytes came. */
	private boolean waiting;

	/** How often waiting has begun. */
	private long began;

	private boolean armed;

	private SilentConnectionCloser(Duration patience) {
		this.patience = patience;
	}

	/**
	 * Watch over all connections of a client.
	 * @param patience how long a connection may be silent
	 * @param application what else is to be done with a connection
	 */
	static NettyCustomizer customizer(Duration patience, NettyCustomizer application) {
		return new NettyCustomizer() {

			@Override
			public void afterBootstrapInitialized(Bootstrap bootstrap) {
				application.afterBootstrapInitialized(bootstrap);
			}

			@Override
			public void afterChannelInitialized(Channel channel) {
				application.afterChannelInitialized(channel);
				channel.pipeline().addFirst(new SilentConnectionCloser(patience));
			}

		};
	}

	@Override
	public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) throws Exception {
		if (!this.waiting) {
			this.waiting = true;
			this.began++;
			if (!this.armed) {
				arm(context);
			}
		}
		super.write(context, message, promise);
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
		this.waiting = false;
		super.channelRead(context, message);
	}

	/** One timer at most, however many commands are sent. */
	private void arm(ChannelHandlerContext context) {
		this.armed = true;
		long known = this.began;
		context.executor().schedule(() -> look(context, known), this.patience.toNanos(), TimeUnit.NANOSECONDS);
	}

	private void look(ChannelHandlerContext context, long known) {
		this.armed = false;
		if (!this.waiting || !context.channel().isActive()) {
			return;
		}
		if (this.began == known) {
			logger.warn("Closing the connection to Redis " + context.channel().remoteAddress()
					+ ", which has not answered anything for " + this.patience);
			context.close();
		}
		else {
			arm(context);
		}
	}

}
