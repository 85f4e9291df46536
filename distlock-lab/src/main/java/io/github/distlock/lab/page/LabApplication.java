package io.github.distlock.lab.page;

import io.github.distlock.lab.web.CallerCheck;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.ConfigurationPropertiesAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.HttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.imperative.ImperativeHttpClientAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.HttpEncodingAutoConfiguration;
import org.springframework.boot.tomcat.TomcatConnectorCustomizer;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Import;

/**
 * The page and the lab's API; the program adds its order service. Only the web server and
 * an HTTP client are configured: the lab has no lock and no Redis, and the page must be
 * up soon.
 */
@SpringBootConfiguration
@ImportAutoConfiguration({ PropertyPlaceholderAutoConfiguration.class, ConfigurationPropertiesAutoConfiguration.class,
		TomcatServletWebServerAutoConfiguration.class, HttpEncodingAutoConfiguration.class,
		JacksonAutoConfiguration.class, HttpMessageConvertersAutoConfiguration.class,
		DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class, ErrorMvcAutoConfiguration.class,
		HttpClientAutoConfiguration.class, ImperativeHttpClientAutoConfiguration.class,
		RestClientAutoConfiguration.class })
@ComponentScan
@Import(CallerCheck.class)
class LabApplication {

	private static final String SEND_BUFFER_BYTES = "65536";

	/**
	 * Limit what the operating system keeps for a page that does not read its events.
	 */
	@Bean
	TomcatConnectorCustomizer sendBuffer() {
		return (connector) -> connector.setProperty("socket.txBufSize", SEND_BUFFER_BYTES);
	}

}
