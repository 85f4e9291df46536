package io.github.distlock.autoconfigure;

import io.github.distlock.web.LockExceptionResolver;
import io.github.distlock.web.LockErrorHandler;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

/**
 * Auto-configuration for the answers to HTTP requests whose lock was not acquired.
 * {@code distlock.web.enabled} is read at run time: ahead-of-time processing would freeze
 * a condition.
 */
@AutoConfiguration(beforeName = "org.springframework.boot.webflux.autoconfigure.error.ErrorWebFluxAutoConfiguration")
@EnableConfigurationProperties(DistlockProperties.class)
public final class DistlockWebAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = Type.SERVLET)
	@ConditionalOnClass(DispatcherServlet.class)
	static class ServletAnswers {

		@Bean
		HandlerExceptionResolver distlockExceptionResolver(DistlockProperties properties,
				@Qualifier("requestMappingHandlerAdapter") ObjectProvider<RequestMappingHandlerAdapter> adapter) {
			return properties.web().enabled()
					? new LockExceptionResolver(() -> adapter.getObject().getMessageConverters())
					: (request, response, handler, ex) -> null;
		}

	}

	/** A handler of all exceptions that the application defines takes these as well. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = Type.REACTIVE)
	@ConditionalOnClass(DispatcherHandler.class)
	@ConditionalOnMissingBean(type = "org.springframework.boot.webflux.error.ErrorWebExceptionHandler")
	static class ReactiveAnswers {

		/** Registered before that of Spring Boot, which has the same order. */
		@Bean
		@Order(-1)
		WebExceptionHandler distlockWebExceptionHandler(DistlockProperties properties, ServerCodecConfigurer codecs) {
			return properties.web().enabled() ? new LockErrorHandler(codecs) : (exchange, ex) -> Mono.error(ex);
		}

	}

}
