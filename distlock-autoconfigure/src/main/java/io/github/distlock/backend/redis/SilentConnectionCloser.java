package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.github.distlock.thread.LockLog;

import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.timeout.IdleState;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.ReferenceCountUtil;
import org.apache.commons.logging.Log;

/**
 * Closes a connection on which a command was sent and no byte was received for two to
 * three command time-outs, so that the driver makes a new one. If a firewall has dropped
 * a connection, or TCP retransmits at ever longer intervals, the client sees no error:
 * each command would time out, and leases would end, although the server can be reached.
 * <p>
 * Also closes a connection after each exception and error on its event loop, such as an
 * {@link OutOfMemoryError} in the decoder. The driver has lost a part of a reply then, or
 * drops the command that waits longest, and would take each later reply for that of
 * another command. No reply is read from then on, even if there is no memory to close the
 * connection: that is tried again when the next one arrives.
 * <p>
 * Only the event loop of the connection accesses the state.
 */
final class SilentConnectionCloser extends IdleStateHandler {

	private static final Log logger = LockLog.of(SilentConnectionCloser.class);

	/** Number of full command time-outs without an answer. */
	private static final int MAX_SILENT_TIMEOUTS = 2;

	/** Whether a command was sent since the last bytes were received. */
	private boolean waiting;

	/** Number of command time-outs that have ended since then. */
	private int silentTimeouts;

	/** Whether an exception or an error was caught. */
	private boolean failed;

	/** The handler of the driver behind this one, which decodes replies. */
	private final ChannelHandlerContext driver;

	private SilentConnectionCloser(Duration commandTimeout, ChannelHandlerContext driver) {
		super(commandTimeout.toNanos(), 0, 0, TimeUnit.NANOSECONDS);
		this.driver = driver;
		// Initializes the classes of events while there is memory.
		newIdleStateEvent(IdleState.READER_IDLE, true);
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
				ChannelHandlerContext driver = channel.pipeline().context(CommandHandler.class);
				channel.pipeline().addBefore(driver.name(), null, new SilentConnectionCloser(commandTimeout, driver));
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
		if (this.failed) {
			ReferenceCountUtil.release(message);
			context.close();
			return;
		}
		this.waiting = false;
		this.silentTimeouts = 0;
		// Called here, so that what it throws comes to this handler first.
		((CommandHandler) this.driver.handler()).channelRead(this.driver, message);
	}

	@Override
	public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
		this.failed = true;
		context.close();
		context.fireExceptionCaught(cause);
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
