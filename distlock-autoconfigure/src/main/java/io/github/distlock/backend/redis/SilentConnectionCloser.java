package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Closes a connection on which a command was sent and no byte was received for two to
 * three command time-outs, so that the driver makes a new one. If a firewall has dropped
 * a connection, or TCP retransmits at ever longer intervals, the client sees no error:
 * each command would time out, and leases would end, although the server can be reached.
 * Only the event loop of the connection accesses the state.
 */
final class SilentConnectionCloser extends IdleStateHandler {

	private static final Log logger = LogFactory.getLog(SilentConnectionCloser.class);

	/** Number of full command time-outs without an answer. */
	private static final int MAX_SILENT_TIMEOUTS = 2;

	/** Whether a command was sent since the last bytes were received. */
	private boolean waiting;

	/** Number of command time-outs that have ended since then. */
	private int silentTimeouts;

	private SilentConnectionCloser(Duration commandTimeout) {
		super(commandTimeout.toNanos(), 0, 0, TimeUnit.NANOSECONDS);
	}

	/**
	 * Return a customizer that adds this handler to all connections of a client.
	 * @param commandTimeout the time-out of a command
	 * @param application the customizer of the application
	 */
	static NettyCustomizer customizer(Duration commandTimeout, NettyCustomizer application) {
		return new NettyCustomizer() {

			@Override
			public void afterBootstrapInitialized(Bootstrap bootstrap) {
				application.afterBootstrapInitialized(bootstrap);
			}

			@Override
			public void afterChannelInitialized(Channel channel) {
				application.afterChannelInitialized(channel);
				channel.pipeline().addFirst(new SilentConnectionCloser(commandTimeout));
			}

		};
	}

	@Override
	public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) throws Exception {
		this.waiting = true;
		super.write(context, message, promise);
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
		this.waiting = false;
		this.silentTimeouts = 0;
		super.channelRead(context, message);
	}

	/** No byte was received for one command time-out more. */
	@Override
	protected void channelIdle(ChannelHandlerContext context, IdleStateEvent event) {
		if (this.waiting && ++this.silentTimeouts > MAX_SILENT_TIMEOUTS) {
			logger.warn("Closing the connection to Redis " + context.channel().remoteAddress()
					+ ", which has not answered for " + MAX_SILENT_TIMEOUTS + " command time-outs");
			context.close();
		}
	}

}
