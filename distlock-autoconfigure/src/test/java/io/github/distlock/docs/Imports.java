package io.github.distlock.docs;

/**
 * The imports of examples that have none of their own.
 */
final class Imports {

	/** In one line, so that the lines of an example keep their numbers. */
	static final String TEXT = """
			io.github.distlock.*
			io.github.distlock.contract.*
			io.github.distlock.docs.examples.ExampleTypes.*
			io.github.distlock.observation.*
			io.github.distlock.test.*
			java.lang.annotation.*
			java.math.BigDecimal
			java.security.Principal
			java.time.*
			java.util.*
			java.util.concurrent.*
			java.util.concurrent.atomic.AtomicBoolean
			java.util.concurrent.locks.Lock
			java.util.function.*
			java.util.stream.*
			jakarta.persistence.*
			org.apache.curator.framework.*
			net.javacrumbs.shedlock.spring.annotation.*
			org.springframework.aop.MethodBeforeAdvice
			org.springframework.aop.framework.ProxyFactory
			org.springframework.aot.hint.MemberCategory
			org.springframework.aot.hint.annotation.RegisterReflection
			org.springframework.beans.factory.annotation.*
			org.springframework.boot.context.event.ApplicationReadyEvent
			org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest
			org.springframework.cache.annotation.Cacheable
			org.springframework.context.annotation.*
			org.springframework.context.event.ContextClosedEvent
			org.springframework.context.event.EventListener
			org.springframework.dao.OptimisticLockingFailureException
			org.springframework.http.*
			org.springframework.resilience.annotation.Retryable
			org.springframework.scheduling.annotation.*
			org.springframework.security.config.Customizer
			org.springframework.security.config.annotation.web.builders.HttpSecurity
			org.springframework.security.web.SecurityFilterChain
			org.springframework.stereotype.*
			org.springframework.transaction.annotation.*
			org.springframework.web.bind.annotation.*
			reactor.core.publisher.Mono
			reactor.core.scheduler.Schedulers
			static org.assertj.core.api.Assertions.*
			static org.mockito.BDDMockito.*
			""".lines().map((name) -> " import " + name + ";").reduce("", String::concat);

	private Imports() {
	}

}
