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
 * Closes a connection on which a command was sent and no byte was received for too long,
 * so that the driver makes a new one. If a firewall has dropped a connection, or TCP
 * retransmits at ever longer intervals, the client sees no error: each command would time
 * out, and leases would end, although the server can be reached. Only the event loop of
 * the connection accesses the state.
 */
final class SilentConnectionCloser extends ChannelDuplexHandler {

	private static final Log logger = LogFactory.getLog(SilentConnectionCloser.class);

	private final Duration patience;

	/** Whether a command was sent since the last bytes were received. */
	private boolean waiting;

	/** Number of times that waiting has begun. */
	private long began;

	private boolean armed;

	private SilentConnectionCloser(Duration patience) {
		this.patience = patience;
	}

	/**
	 * Return a customizer that adds this handler to all connections of a client.
	 * @param patience how long a connection may be silent
	 * @param application the customizer of the application
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

	/** Set the only timer, however many commands are sent. */
	private void arm(ChannelHandlerContext context) {
		this.armed = true;
		long armedAt = this.began;
		context.executor().schedule(() -> check(context, armedAt), this.patience.toNanos(), TimeUnit.NANOSECONDS);
	}

	private void check(ChannelHandlerContext context, long armedAt) {
		this.armed = false;
		if (!this.waiting || !context.channel().isActive()) {
			return;
		}
		if (this.began == armedAt) {
			logger.warn("Closing the connection to Redis " + context.channel().remoteAddress()
					+ ", which has not answered for " + this.patience);
			context.close();
		}
		else {
			arm(context);
		}
	}

}
